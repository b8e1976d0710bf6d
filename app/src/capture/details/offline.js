(() => {
  const form = document.querySelector("form[data-kept]");
  const told = form.querySelector("[data-offline]");
  // In ms: an answer that takes longer is not waited for.
  const LATE = 6000;
  let asking = false, answered = false;
  // A phone is online also where its network carries nothing. Any answer will do.
  const ask = async () => {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), LATE);
    try {
      await fetch(form.dataset.kept, { cache: "no-store", signal: stop.signal });
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(late);
    }
  };
  // Without a connection the browser would leave the page, and forget what was entered.
  form.addEventListener("submit", async (event) => {
    const { submitter } = event;
    // Safari before 16 cannot send it later as it would now.
    const goes = answered || (navigator.onLine && !form.requestSubmit);
    answered = false;
    if (goes) return;
    event.preventDefault();
    if (asking) return;
    asking = true;
    answered = navigator.onLine && (await ask());
    asking = false;
    told.hidden = answered;
    if (answered) form.requestSubmit(submitter);
    else told.scrollIntoView({ block: "center" });
  });
  addEventListener("online", () => { told.hidden = true; });
})();
