// Asks for the result until there is one. The page itself stays: loaded again without a connection, it would give way to the browser's own error page.
(async () => {
  const again = document.querySelector("[data-again]");
  const told = document.querySelector("[data-offline]");
  again.addEventListener("click", (event) => {
    told.hidden = navigator.onLine;
    if (!navigator.onLine) event.preventDefault();
  });
  addEventListener("online", () => { told.hidden = true; });
  const isOut = async () => {
    // Longer than the server waits for the result.
    const answer = await fetchWithin(20_000, again.href, { cache: "no-store" });
    told.hidden = true;
    // A server that is busy says nothing about the result.
    if (!answer.ok) return isOver(answer);
    return !new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-again]");
  };
  for (;;) {
    await new Promise((go) => setTimeout(go, 3000));
    // A hidden page does not ask.
    if (document.hidden) continue;
    try {
      if (await isOut()) break;
    } catch {
      told.hidden = false;
    }
  }
  location.replace(again.href);
})();
