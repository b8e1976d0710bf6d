(() => {
  const list = document.querySelector("[data-newest]");
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) return;
    // Without the head: its style has the nonce of that page, not of this one.
    const [, main] = (await answer.text()).split(/<\/?main>/);
    const page = new DOMParser().parseFromString(main ?? "", "text/html");
    const now = page.querySelector("[data-newest]");
    if (!now || now.dataset.newest === list.dataset.newest) return;
    // Only what is new is added, so that nothing that is open closes.
    const fresh = [...now.children].filter((one) => Number(one.dataset.number || 0) > Number(list.dataset.newest));
    list.querySelector("[data-empty]")?.remove();
    list.prepend(...fresh);
    list.dataset.newest = now.dataset.newest;
  };
  const follow = async () => {
    for (;;) {
      await look().catch(() => {});
      await new Promise((done) => setTimeout(done, 1000));
    }
  };
  follow();
})();
