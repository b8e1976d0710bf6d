(() => {
  const cases = [...document.querySelectorAll("[data-case]")];
  const help = document.querySelector("[data-keys]");
  const button = document.querySelector("[data-help]");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  const go = (step) => {
    const at = cases.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : cases.length - 1) : at + step;
    cases[Math.max(0, Math.min(cases.length - 1, next))]?.focus();
  };
  const keys = {
    j: () => go(1), k: () => go(-1), n: () => document.querySelector("[data-first]")?.click(), "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest("input, textarea, select")) return;
    const act = keys[event.key.toLowerCase()];
    if (act) { act(); event.preventDefault(); }
  });
})();
