(() => {
  const panel = document.querySelector("[data-faces]");
  if (!panel) return;
  const pair = panel.querySelector("[data-pair]");
  const [portrait, selfie] = pair.querySelectorAll("figure");
  const share = panel.querySelector("[data-share]");
  const slider = share.querySelector("input");
  const seen = panel.querySelector("[data-seen]");
  const modes = panel.querySelector("[data-modes]");
  const buttons = [...modes.querySelectorAll("[data-mode]")];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** Milliseconds that each face stays: slower than three changes a second, which may harm. */
  const STAYS = 600;
  let mode = "beside", turn = 0, timer = 0;

  const fade = (opacity) => { selfie.style.opacity = mode === "beside" ? "" : opacity; };
  const flick = () => {
    turn = 1 - turn;
    fade(turn);
    // Said only where each change was asked for.
    if (calm.matches) seen.textContent = (turn ? selfie : portrait).querySelector("figcaption").textContent;
  };
  const enter = (next) => {
    clearInterval(timer);
    // Those who want no motion change the faces themselves, with each press.
    if (next === "flicker" && mode === "flicker" && calm.matches) { flick(); return; }
    mode = next === "flicker" && mode === "flicker" ? "beside" : next;
    pair.classList.toggle("stacked", mode !== "beside");
    share.hidden = mode !== "over";
    seen.hidden = !(mode === "flicker" && calm.matches);
    fade(mode === "over" ? slider.value / 100 : 0);
    turn = 0;
    if (mode === "flicker") {
      flick();
      if (!calm.matches) timer = setInterval(flick, STAYS);
    }
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.mode === mode);
  };

  modes.hidden = false;
  for (const button of buttons) button.addEventListener("click", () => enter(button.dataset.mode));
  slider.addEventListener("input", () => fade(slider.value / 100));
  addEventListener("honnin-compare", (event) => {
    enter(event.detail === "flicker" ? "flicker" : mode === "beside" ? "over" : "beside");
    panel.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
    if (mode === "over") slider.focus({ preventScroll: true });
  });
})();
