(() => {
  const section = document.currentScript.closest("section");
  const [copying, said] = [section.querySelector("[data-copying]"), section.querySelector("[data-copying] [role=status]")];
  if (!navigator.clipboard) return;
  copying.hidden = false;
  copying.querySelector("button").addEventListener("click", async () => {
    const text = [...section.querySelectorAll("code")].map((code) => code.textContent).join("\n");
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = said.dataset.done;
    } catch {
      said.textContent = said.dataset.failed;
    }
  });
})();
