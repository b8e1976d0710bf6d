(() => {
  const form = document.querySelector("[data-search]");
  const said = document.querySelector("[data-said]");
  const failed = document.querySelector("[data-failed]");
  /** Milliseconds without a key after which the list is asked for. */
  const PAUSE = 350;
  /** Milliseconds until a search that failed is tried again: at first, and at most. */
  const AGAIN = 1_000, AT_MOST = 30_000;
  /** Milliseconds after which an answer is no longer waited for. */
  const LONGEST = 30_000;
  /** How often a search that found nothing goes on with older sessions by itself: four pages look at 12,000. */
  const FURTHER = 3;
  let timer = 0, search = new AbortController();
  const typed = () => {
    const set = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    return `${form.getAttribute("action")}?${new URLSearchParams(set)}`;
  };
  const olderOf = (page) => page.querySelector("[data-older]")?.getAttribute("href");
  const find = async (address = typed(), further = FURTHER, again = AGAIN) => {
    search.abort();
    const own = (search = new AbortController()), { signal } = own;
    let isLate = false;
    // Older than `AbortSignal.any`, which Safari has since 17.4.
    const late = setTimeout(() => { isLate = true; own.abort(); }, LONGEST);
    const answer = await fetch(address, { signal }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    clearTimeout(late);
    if (signal.aborted && !isLate) return;
    // Somebody who is no longer signed in, or may no longer see the list, gets there by the whole page.
    if (answer?.redirected || [401, 403, 404].includes(answer?.status)) { location.assign(address); return; }
    failed.hidden = text !== "";
    if (!text) {
      timer = setTimeout(find, again, address, further, Math.min(2 * again, AT_MOST));
      return;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    const older = olderOf(page);
    if (older && further > 0) { find(older, further - 1); return; }
    for (const part of document.querySelectorAll("[data-part]")) {
      const next = page.querySelector(`[data-part="${part.dataset.part}"]`);
      if (next) part.replaceWith(next);
    }
    history.replaceState(null, "", address);
    said.textContent = document.querySelector("[data-count]").textContent;
  };
  const box = form.querySelector("#q");
  const plan = () => {
    clearTimeout(timer);
    search.abort();
    timer = setTimeout(find, PAUSE);
  };
  box.addEventListener("input", ({ isComposing, data }) => {
    // What is still being converted into Japanese, for example, is not searched for. Keyboards of phones compose Latin words in the same way.
    if (isComposing && /[^ -~]/.test(data ?? "")) clearTimeout(timer);
    else plan();
  });
  box.addEventListener("compositionend", plan);
  form.addEventListener("submit", () => clearTimeout(timer));
  // What was typed before this script was there is searched for, too.
  if (box.value !== box.defaultValue) plan();
  else if (olderOf(document)) find(olderOf(document), FURTHER - 1);
})();
