// Whether a form of this page is on its way. After `ON_ITS_WAY` ms, which is longer than the server waits, it has been stopped.
const ON_ITS_WAY = 30_000;
const isOnItsWay = (() => {
  // By the page's own clock: that of the phone may be set meanwhile.
  let until = 0;
  // On the window, behind the listeners of the forms: one may have kept the page. A form of a dialog only closes it.
  addEventListener("submit", (event) => {
    if (!event.defaultPrevented && event.target.method !== "dialog") until = performance.now() + ON_ITS_WAY;
  });
  // Whoever comes back by the browser's button has sent nothing.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) until = 0; });
  return () => performance.now() < until;
})();
