(() => {
  const form = document.querySelector("form[data-kept]");
  const told = form.querySelector("[data-offline]");
  // Without a connection the browser would leave the page, and forget what was entered.
  form.addEventListener("submit", (event) => {
    told.hidden = navigator.onLine;
    if (navigator.onLine) return;
    event.preventDefault();
    told.scrollIntoView({ block: "center" });
  });
  addEventListener("online", () => { told.hidden = true; });
})();
