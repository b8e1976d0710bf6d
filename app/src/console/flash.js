(() => {
  // Screen readers announce what changes, and not what a page brings along.
  setTimeout(() => {
    for (const status of document.querySelectorAll("main > .flash[role=status], [data-undo] [role=status]")) status.replaceChildren(status.textContent);
  }, 500);
  // How long each decision can still be undone.
  for (const undo of document.querySelectorAll("[data-undo]")) {
    const left = undo.querySelector("[data-left]");
    const ends = Date.now() + Number(left.textContent) * 1000;
    const count = setInterval(() => {
      const seconds = Math.ceil((ends - Date.now()) / 1000);
      if (seconds > 0) { left.textContent = seconds; return; }
      clearInterval(count);
      const isFocused = undo.contains(document.activeElement);
      undo.remove();
      // Whoever was about to undo goes on from the top of the page, not from nowhere.
      if (isFocused) document.querySelector("main").focus();
    }, 250);
  }
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key.toLowerCase() !== "u" || event.ctrlKey || event.metaKey || event.altKey || localStorage.honninShortcuts === "off") return;
    // On a reason that was just ticked, letters are shortcuts as well.
    if (event.target.closest("input:not([type=checkbox], [type=range]), textarea, select, dialog")) return;
    const button = document.querySelector("[data-undo] button");
    if (button) { button.focus(); event.preventDefault(); }
  });
})();
