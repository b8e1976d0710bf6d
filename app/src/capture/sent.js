// The server waits for the analysis before it lets a photo be used, and before everything is submitted: meanwhile the button says so, and is pressed
// once.
(() => {
  const { use } = document.currentScript.dataset;
  const form = document.querySelector("form[data-told]");
  const status = form.querySelector("[role=status]");
  let before = null, stopped;
  form.addEventListener("submit", (event) => {
    if (before) return event.preventDefault();
    const button = event.submitter;
    if (button?.value !== use) return;
    before = { button, label: button.textContent };
    button.textContent = status.textContent = form.dataset.told;
    button.setAttribute("aria-disabled", "true");
    stopped = setTimeout(release, ON_ITS_WAY);
  });
  const release = () => {
    clearTimeout(stopped);
    if (!before) return;
    before.button.textContent = before.label;
    before.button.removeAttribute("aria-disabled");
    status.textContent = "";
    before = null;
  };
  // Whoever comes back by the browser's button may choose again.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) release(); });
})();
