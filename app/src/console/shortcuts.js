(() => {
  // Single letters get in the way of whoever speaks to their computer, so they can be switched off (WCAG 2.2, 2.1.4). It is remembered by this browser.
  const box = document.querySelector("[data-shortcuts]");
  box.checked = localStorage.honninShortcuts !== "off";
  box.addEventListener("change", () => { localStorage.honninShortcuts = box.checked ? "on" : "off"; });
})();
