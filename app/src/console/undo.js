(() => {
  // How long each decision can still be undone.
  for (const undo of document.querySelectorAll("[data-undo]")) {
    const left = undo.querySelector("[data-left]");
    const ends = Date.now() + Number(left.textContent) * 1000;
    const count = setInterval(() => {
      const seconds = Math.ceil((ends - Date.now()) / 1000);
      if (seconds > 0) { left.textContent = seconds; return; }
      clearInterval(count);
      undo.remove();
    }, 250);
  }
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key.toLowerCase() !== "u" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    const button = document.querySelector("[data-undo] button");
    if (button) { button.focus(); event.preventDefault(); }
  });
})();
