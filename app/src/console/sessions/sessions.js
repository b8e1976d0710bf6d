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
  let timer = 0, search = new AbortController();
  const find = async (again = AGAIN) => {
    search.abort();
    const { signal } = (search = new AbortController());
    const set = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const address = `${form.getAttribute("action")}?${new URLSearchParams(set)}`;
    const answer = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST)]) }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (signal.aborted) return;
    // Somebody who is no longer signed in, or may no longer see the list, gets there by the whole page.
    if (answer?.redirected || [401, 403, 404].includes(answer?.status)) { location.assign(address); return; }
    failed.hidden = text !== "";
    if (!text) {
      timer = setTimeout(find, again, Math.min(2 * again, AT_MOST));
      return;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
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
  box.addEventListener("input", plan);
  form.addEventListener("submit", () => clearTimeout(timer));
  // What was typed before this script was there is searched for, too.
  if (box.value !== box.defaultValue) plan();
})();
