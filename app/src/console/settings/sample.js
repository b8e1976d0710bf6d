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
    // This page's policy does not know the nonce of the other one's style, even while it is only parsed.
    let css = "";
    const plain = text.replace(/<style[^>]*>([^<]*)<\/style>/, (_, inside) => { css = inside; return ""; });
    const shown = new DOMParser().parseFromString(plain, "text/html");
    const next = shown.querySelector(".sample");
    if (!next) return;
    document.querySelector("[data-legible]").replaceChildren(...shown.querySelector("[data-legible]").childNodes);
    sheet.replaceSync(css);
    document.querySelector("[data-sample] style").textContent = "";
    document.querySelector(".sample").replaceWith(next);
  };
  const plan = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  };
  form.addEventListener("input", plan);
  // What was typed before this script was there is shown, too.
  if ([...form.querySelectorAll("input")].some(({ value, defaultValue }) => value !== defaultValue)) plan();
})();
