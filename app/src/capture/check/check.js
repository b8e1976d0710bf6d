(async () => {
  const { follow, shown, card } = document.currentScript.dataset;
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  let leaving = false;
  addEventListener("submit", () => (leaving = true));
  for (;;) {
    const asked = Date.now();
    try {
      // A hidden page does not poll.
      if (!document.hidden) {
        const answer = await fetch(follow, { headers: { accept: "application/json" }, cache: "no-store" });
        const found = answer.ok ? await answer.json() : { analysed: true, problems: shown };
        if (found.analysed && found.problems !== shown && !leaving) location.reload();
        if (found.analysed && found.straight) document.querySelector("img.photo").src = card;
        if (found.analysed || leaving) return;
      }
    } catch {
      // Offline for a moment: retry.
    }
    await rest(Date.now() - asked < 2000 ? 4000 : 500);
  }
})();
