// Where memory is short, a phone ends the page while its camera app is open. The photo is lost then, and would be each time: the page that is loaded
// again says so, and takes a photo that is there already.
(() => {
  const OPEN = "camera-app";
  // Where storage is forbidden, nobody knows.
  const stored = (access) => {
    try {
      return access(sessionStorage);
    } catch {
      return null;
    }
  };
  const forget = () => stored((storage) => storage.removeItem(OPEN));
  if (stored((storage) => storage.getItem(OPEN))) {
    document.querySelector("[data-lost]").hidden = false;
    for (const field of document.querySelectorAll("input[capture]")) field.removeAttribute("capture");
  }
  forget();
  document.addEventListener("click", ({ target }) => {
    if (target.matches("input[capture]")) stored((storage) => storage.setItem(OPEN, "open"));
  });
  for (const back of ["change", "cancel"]) document.addEventListener(back, forget);
  // A page that is left is told, one that is ended is not.
  addEventListener("pagehide", forget);
})();
