(() => {
  const help = document.querySelector("[data-keys]");
  const button = document.querySelector("[data-help]");
  const list = document.querySelector("[data-live]");
  const regions = [...document.querySelectorAll("[data-region]")];
  const news = document.querySelector("[data-news]");
  const out = document.querySelector("[data-signed-out]");
  const cases = () => [...document.querySelectorAll("[data-case]")];
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  const go = (step) => {
    const all = cases(), at = all.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
    all[Math.max(0, Math.min(all.length - 1, next))]?.focus();
  };
  const keys = {
    j: () => go(1), k: () => go(-1), n: () => document.querySelector("[data-first]")?.click(), "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || localStorage.honninShortcuts === "off") return;
    if (event.target.closest("input, textarea, select")) return;
    const act = keys[event.key.toLowerCase()];
    if (act) { act(); event.preventDefault(); }
  });

  // What changes on the server appears here within seconds.
  const EVERY = 5_000, AT_MOST = 60_000;
  let version = list.dataset.version, wait = EVERY, timer = 0, asking = false;
  let known = new Set(cases().map((link) => link.dataset.case));

  /** What the focus is on, so that it is found again in the new part: the link's or the form's address. */
  const place = (element) => element?.getAttribute?.("href") ?? element?.form?.getAttribute("action");
  const show = ({ regions: parts, backlog, ids }) => {
    for (const region of regions) {
      const inside = new DOMParser().parseFromString(parts[region.dataset.region], "text/html").body;
      const focus = region.contains(document.activeElement) ? place(document.activeElement) : null;
      const row = cases().indexOf(document.activeElement);
      region.replaceChildren(...inside.childNodes);
      if (!focus) continue;
      const same = [...region.querySelectorAll("a, button")].find((element) => place(element) === focus);
      // Whoever was on a case that has left goes on beside it, and not from the top of the page.
      const beside = row < 0 ? undefined : cases()[Math.min(row, cases().length - 1)];
      (same ?? beside)?.focus({ preventScroll: true });
    }
    for (const count of document.querySelectorAll("[data-backlog]")) {
      count.textContent = backlog.toLocaleString("en");
      count.parentElement.hidden = backlog === 0;
    }
    const fresh = ids.filter((id) => !known.has(id)).length;
    known = new Set([...known, ...ids]);
    if (fresh) news.textContent = fresh === 1 ? news.dataset.one : news.dataset.more.replace("{n}", fresh);
  };
  const ask = async () => {
    clearTimeout(timer);
    if (asking || document.hidden) return;
    asking = true;
    // The same words as the last time would not be read out again.
    news.textContent = "";
    const url = new URL(list.dataset.live, location.href);
    url.searchParams.set("seen", version);
    const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout?.(20_000) }).catch(() => null);
    asking = false;
    if (answer?.type === "opaqueredirect" || answer?.status === 403) {
      out.hidden = false;
      return;
    }
    // Somebody who has signed in again in another tab is back.
    if (answer?.ok) out.hidden = true;
    const changed = answer?.status === 200 ? await answer.json().catch(() => null) : null;
    // A person who is choosing something is not disturbed.
    if (changed && !document.querySelector("dialog[open]")) {
      version = changed.version;
      show(changed);
    }
    wait = answer?.ok ? EVERY : Math.min(wait * 2, AT_MOST);
    timer = setTimeout(ask, wait);
  };
  timer = setTimeout(ask, EVERY);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
})();
