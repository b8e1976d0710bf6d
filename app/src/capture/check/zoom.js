(() => {
  const frame = document.querySelector(".snap-frame");
  const photo = frame.querySelector("img");
  const tick = document.getElementById("zoom");
  // As large as the tick makes it without scripts, and as large as fingers may make it.
  const [CLOSER, CLOSEST] = [2.6, 6];
  // Two taps at the same place within this time, in ms and px.
  const [SOON, NEAR] = [350, 30];
  // A browser restores the tick of a page that is loaded again.
  let scale = tick.checked ? CLOSER : 1;

  // A network that loses it for a moment must not leave nothing to check: it is asked for again, after longer and longer pauses in ms.
  let pause = 1000;
  const again = () => {
    if (pause > 16_000) return;
    setTimeout(() => { photo.src = photo.getAttribute("src"); }, pause);
    pause *= 2;
  };
  photo.addEventListener("error", again);
  photo.addEventListener("load", () => { pause = 1000; });
  // It may have failed before anybody listened.
  if (photo.complete && photo.naturalWidth === 0) again();

  // Shows the photo at another scale; its point under [x, y] comes to [toX, toY], as far as the photo goes. The frame keeps its size.
  const zoom = (to, [x, y], [toX, toY] = [x, y]) => {
    const before = photo.getBoundingClientRect();
    const [across, down] = [(x - before.left) / before.width, (y - before.top) / before.height];
    scale = Math.min(Math.max(to, 1), CLOSEST);
    frame.style.height = scale > 1 ? `${frame.clientHeight}px` : "";
    photo.style.width = scale > 1 ? `${100 * scale}%` : "";
    // What the page shows is for the screen; whoever looks closer gets all of it.
    if (scale > 1 && photo.getAttribute("src") !== photo.dataset.full) photo.src = photo.dataset.full;
    tick.checked = scale > 1;
    const after = () => photo.getBoundingClientRect();
    frame.scrollLeft += after().left + across * after().width - toX;
    frame.scrollTop += after().top + down * after().height - toY;
  };
  const closer = (at) => zoom(scale > 1 ? 1 : CLOSER, at);

  tick.addEventListener("change", () => {
    const to = tick.checked ? CLOSER : 1;
    // The style sheet has enlarged the photo already; what is measured is how it was.
    tick.checked = scale > 1;
    const { left, top, width, height } = frame.getBoundingClientRect();
    zoom(to, [left + width / 2, top + height / 2]);
  });
  frame.addEventListener("dblclick", (event) => closer([event.clientX, event.clientY]));

  // One finger moves the photo, as the browser scrolls; two fingers enlarge it instead of the page.
  frame.style.touchAction = "pan-x pan-y";
  const places = (touches) => [...touches].map((touch) => [touch.clientX, touch.clientY]);
  const middle = ([[ax, ay], [bx, by]]) => [(ax + bx) / 2, (ay + by) / 2];
  const apart = ([[ax, ay], [bx, by]]) => Math.hypot(ax - bx, ay - by);
  let pinch = null, tap = null, last = null;
  frame.addEventListener("touchstart", (event) => {
    const fingers = places(event.touches);
    tap = fingers.length === 1 ? fingers[0] : null;
    pinch = fingers.length === 2 ? { apart: apart(fingers), middle: middle(fingers), scale } : null;
    if (pinch) event.preventDefault();
  }, { passive: false });
  frame.addEventListener("touchmove", (event) => {
    const fingers = places(event.touches);
    if (tap && apart([tap, fingers[0]]) > NEAR) tap = null;
    if (!pinch || fingers.length !== 2) return;
    event.preventDefault();
    zoom((pinch.scale * apart(fingers)) / pinch.apart, pinch.middle, middle(fingers));
    pinch.middle = middle(fingers);
  }, { passive: false });
  frame.addEventListener("touchend", (event) => {
    pinch = null;
    if (!tap || event.touches.length > 0) return;
    // Otherwise the browser would report two taps as a double click as well.
    event.preventDefault();
    const twice = last && event.timeStamp - last.at < SOON && apart([tap, last.place]) < NEAR;
    last = twice ? null : { at: event.timeStamp, place: tap };
    if (twice) closer(tap);
  });
})();
