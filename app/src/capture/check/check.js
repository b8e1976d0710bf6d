(async () => {
  const { follow, shown } = document.currentScript.dataset;
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  let leaving = false;
  addEventListener("submit", () => (leaving = true));
  // The page as it is now, put in place without losing the focus or the scroll position.
  const renew = async () => {
    const page = new DOMParser().parseFromString(await (await fetch(location.href, { cache: "no-store" })).text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    const old = document.querySelector("[data-live]");
    if (!fresh) return location.reload();
    old.querySelector("[role=status]").innerHTML = fresh.querySelector("[role=status]").innerHTML;
    const [photo, next] = [old, fresh].map((part) => part.querySelector("img.photo"));
    if (photo.dataset.full === next.dataset.full) return;
    photo.dataset.full = next.dataset.full;
    photo.src = document.getElementById("zoom").checked ? next.dataset.full : next.getAttribute("src");
  };
  for (;;) {
    const asked = Date.now();
    try {
      // A hidden page does not poll.
      if (!document.hidden) {
        const answer = await fetch(follow, { headers: { accept: "application/json" }, cache: "no-store" });
        const found = answer.ok ? await answer.json() : { analysed: true, shown };
        // Another tab has used the photo or taken it again.
        if (found.next && !leaving) return location.assign(found.next);
        if (found.analysed && found.shown !== shown && !leaving) return location.reload();
        if (found.analysed && !leaving) return renew();
        if (found.analysed || leaving) return;
      }
    } catch {
      // Offline for a moment: retry.
    }
    await rest(Date.now() - asked < 2000 ? 4000 : 500);
  }
})();
