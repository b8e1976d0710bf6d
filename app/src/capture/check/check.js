(async () => {
  const { follow, shown } = document.currentScript.dataset;
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  // The page as it is now, put in place without losing the focus or the scroll position.
  const renew = async () => {
    const page = new DOMParser().parseFromString(await (await fetch(location.href, { cache: "no-store" })).text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    const old = document.querySelector("[data-live]");
    // One that must not be kept has none.
    const [photo, now] = [old, fresh].map((live) => live?.querySelector("img.photo"));
    if (!fresh || !photo !== !now) return location.reload();
    old.querySelector("[role=status]").innerHTML = fresh.querySelector("[role=status]").innerHTML;
    if (!now || photo.dataset.full === now.dataset.full) return;
    photo.dataset.full = now.dataset.full;
    photo.src = document.getElementById("zoom").checked ? now.dataset.full : now.getAttribute("src");
  };
  for (;;) {
    const asked = Date.now();
    try {
      // A hidden page does not poll.
      if (!document.hidden) {
        const answer = await fetch(follow, { headers: { accept: "application/json" }, cache: "no-store" });
        const found = answer.ok ? await answer.json() : { analysed: true, shown };
        // Another tab has used the photo or taken it again.
        const leaving = isOnItsWay();
        if (found.next && !leaving) return location.assign(found.next);
        if (found.analysed && found.shown !== shown && !leaving) return location.reload();
        if (found.analysed && !leaving) return renew();
      }
    } catch {
      // Offline for a moment: retry.
    }
    await rest(Date.now() - asked < 2000 ? 4000 : 500);
  }
})();
