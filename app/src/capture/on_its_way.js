// Whether a form of this page is on its way. After `ON_ITS_WAY` ms, which is longer than the server waits, it has been stopped.
const ON_ITS_WAY = 30_000;
const isOnItsWay = (() => {
  let until = 0;
  // On the window, behind the listeners of the forms: one may have kept the page.
  addEventListener("submit", (event) => {
    if (!event.defaultPrevented) until = Date.now() + ON_ITS_WAY;
  });
  return () => Date.now() < until;
})();
