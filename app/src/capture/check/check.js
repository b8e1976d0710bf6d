(async () => {
  const { follow, shown } = document.currentScript.dataset;
  // Longer than the server waits for the analysis, in ms.
  const LATE = 20_000;
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  // Fails where the server has no answer at the moment.
  const get = async (url, accept) => {
    const answer = await fetchWithin(LATE, url, { headers: { accept }, cache: "no-store" });
    if (answer.ok || isOver(answer)) return answer;
    throw answer.status;
  };
  // Gives way to another page, or to itself as it is now. Not by a reload: the page may be the answer to a form, which would be sent again.
  const leave = (to = location.pathname) => {
    if (isOnItsWay()) return false;
    location.replace(to);
    return true;
  };
  // The page as it is now, put in place without losing the focus or the scroll position.
  const renew = async () => {
    const page = new DOMParser().parseFromString(await (await get(location.pathname, "text/html")).text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    const old = document.querySelector("[data-live]");
    // One that must not be kept has none.
    const [photo, now] = [old, fresh].map((live) => live?.querySelector("img.photo"));
    if (!fresh || !photo !== !now) return leave();
    old.querySelector("[role=status]").innerHTML = fresh.querySelector("[role=status]").innerHTML;
    if (now && photo.dataset.full !== now.dataset.full) {
      photo.dataset.full = now.dataset.full;
      photo.src = document.getElementById("zoom").checked ? now.dataset.full : now.getAttribute("src");
    }
    return true;
  };
  // Whether there is nothing more to ask for.
  const look = async () => {
    const answer = await get(follow, "application/json");
    if (isOver(answer)) return leave();
    const found = await answer.json();
    // Another tab has used the photo or taken it again.
    if (found.next) return leave(found.next);
    if (!found.analysed || isOnItsWay()) return false;
    return found.shown === shown ? renew() : leave();
  };
  for (;;) {
    const asked = Date.now();
    try {
      // A hidden page does not poll.
      if (!document.hidden && (await look())) return;
    } catch {
      // Offline for a moment: retry.
    }
    await rest(Date.now() - asked < 2000 ? 4000 : 500);
  }
})();
