(() => {
  const box = document.querySelector("[data-return]");
  const back = document.querySelector("[data-way-back]");
  const line = box.querySelector("[data-told]");
  const once = document.querySelector("[data-told-once]");
  // Whoever came back by the browser's button wants to see the result.
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") return;
  let seconds = Number(box.dataset.return);
  const show = () => { line.textContent = seconds === 1 ? line.dataset.last : line.dataset.told.replace("{seconds}", seconds); };
  const stop = () => { clearInterval(timer); box.hidden = true; once.textContent = ""; };
  const timer = setInterval(() => {
    // Nobody is looking: the time does not run.
    if (document.hidden) return;
    seconds -= 1;
    show();
    // Not as the page appears: what is there from the beginning is not announced.
    if (!once.textContent) once.textContent = line.textContent;
    if (seconds > 0) return;
    clearInterval(timer);
    location.assign(back.href);
  }, 1000);
  box.querySelector("button").addEventListener("click", () => { stop(); back.focus(); });
  addEventListener("pageshow", (event) => { if (event.persisted) stop(); });
  show();
  box.hidden = false;
})();
