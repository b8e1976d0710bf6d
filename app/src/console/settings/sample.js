(() => {
  const form = document.querySelector("form#look");
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let asked = 0, timer = 0;
  /** Asks the server for the preview, which knows how the colour is made legible. */
  const ask = async () => {
    const turn = ++asked;
    const typed = new URLSearchParams(new FormData(form));
    typed.set("preview", "yes");
    const answer = await fetch(form.action, { method: "POST", body: typed }).catch(() => null);
    const text = await answer?.text();
    if (turn !== asked || !text) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.querySelector(".sample");
    if (!next) return;
    // This page's policy does not know the nonce of the other one's style.
    sheet.replaceSync(page.querySelector("[data-sample] style").textContent);
    document.querySelector("[data-sample] style").textContent = "";
    document.querySelector(".sample").replaceWith(next);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  });
})();
