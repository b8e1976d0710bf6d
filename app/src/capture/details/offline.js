(() => {
  const form = document.querySelector("form[data-kept]");
  const [offline, busy] = ["offline", "busy"].map((why) => form.querySelector(`[data-${why}]`));
  // In ms: an answer that takes longer is not waited for.
  const LATE = 6000;
  let asking = false, answered = false;
  // What is to be said instead of sending the form. A phone is online also where its network carries nothing. A server that is busy, and a proxy
  // without one, would answer the form with a page of their own.
  const obstacle = async () => {
    if (!navigator.onLine) return offline;
    try {
      const { status } = await fetchWithin(LATE, form.dataset.kept, { cache: "no-store" });
      return status >= 500 || [408, 429].includes(status) ? busy : null;
    } catch {
      return offline;
    }
  };
  // The browser would leave the page, and forget what was entered.
  form.addEventListener("submit", async (event) => {
    const { submitter } = event;
    // Safari before 16 cannot send it later as it would now.
    const goes = answered || (navigator.onLine && !form.requestSubmit);
    answered = false;
    if (goes) return;
    event.preventDefault();
    if (asking) return;
    asking = true;
    // What is shown again is said again.
    offline.hidden = busy.hidden = true;
    const told = await obstacle();
    asking = false;
    answered = !told;
    if (answered) return form.requestSubmit(submitter);
    told.hidden = false;
    told.scrollIntoView({ block: "center" });
  });
  addEventListener("online", () => { offline.hidden = true; });
})();
