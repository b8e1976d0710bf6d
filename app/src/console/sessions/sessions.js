(() => {
  const form = document.querySelector("[data-search]");
  const said = document.querySelector("[data-said]");
  /** Milliseconds without a key after which the list is asked for. */
  const PAUSE = 350;
  let asked = 0, timer = 0;
  const find = async () => {
    const turn = ++asked;
    const set = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const address = `${form.getAttribute("action")}?${new URLSearchParams(set)}`;
    const answer = await fetch(address).catch(() => null);
    // Somebody who is no longer signed in gets there by the whole page.
    if (answer?.redirected) { location.assign(address); return; }
    const text = answer?.ok ? await answer.text() : "";
    if (turn !== asked || !text) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const next = page.querySelector(`[data-part="${part.dataset.part}"]`);
      if (next) part.replaceWith(next);
    }
    history.replaceState(null, "", address);
    said.textContent = document.querySelector("[data-count]").textContent;
  };
  form.querySelector("#q").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });
  form.addEventListener("submit", () => clearTimeout(timer));
})();
