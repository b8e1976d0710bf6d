(() => {
  const viewer = document.querySelector("[data-viewer]");
  const gallery = document.querySelector("[data-gallery]");
  const tools = document.querySelector("[data-tools]");
  const help = document.querySelector("[data-keys]");
  const shots = gallery ? [...gallery.querySelectorAll("[data-shot]")] : [];
  const LARGEST = 8;
  /** How many steps a picture is made brighter, or darker. */
  const BRIGHTEST = 3;
  /** How far an arrow key moves, as a share of the frame. */
  const STEP = 1 / 8;
  /** How much larger the loupe shows what is under it. */
  const LOUPE = 3;
  let chosen = 0;
  const fresh = () => ({ turn: 0, bright: 0, contrast: 0, scale: 1, x: 0, y: 0 });
  const state = shots.map(fresh);
  const frames = shots.map((shot) => shot.querySelector(".shot-frame"));
  const strip = document.createElement("div");
  const loupe = document.createElement("div");
  /** Where the loupe is, from the middle of the frame; `null` while it is put away. */
  let glass = null;

  /** Lays the loupe over the chosen picture: the same picture with the same changes, larger, its point under the glass in the middle. */
  const magnify = () => {
    loupe.hidden = !glass;
    if (!glass) return;
    const frame = frames[chosen], seen = frame.querySelector("img"), image = loupe.firstChild;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    const within = (at, size) => Math.max(-size / 2, Math.min(size / 2, at));
    glass = { x: within(glass.x, width), y: within(glass.y, height) };
    if (loupe.parentNode !== frame) frame.append(loupe);
    if (image.src !== seen.src) image.src = seen.src;
    Object.assign(loupe.style, { left: `${width / 2 + glass.x}px`, top: `${height / 2 + glass.y}px` });
    Object.assign(image.style, {
      width: `${seen.offsetWidth}px`, height: `${seen.offsetHeight}px`, filter: seen.style.filter,
      transform: `translate(-50%, -50%) scale(${LOUPE}) translate(${-glass.x}px, ${-glass.y}px) ${seen.style.transform}`,
    });
  };

  const dress = (shot, i) => {
    const s = state[i], frame = frames[i], img = shot.querySelector(".shot-frame > img");
    const sideways = s.turn % 180 !== 0;
    const fit = sideways ? Math.min(frame.clientHeight / img.offsetWidth, frame.clientWidth / img.offsetHeight, 1) || 1 : 1;
    // The picture never leaves its frame.
    const room = (size) => (size * (s.scale - 1)) / 2;
    s.x = Math.max(-room(frame.clientWidth), Math.min(room(frame.clientWidth), s.x));
    s.y = Math.max(-room(frame.clientHeight), Math.min(room(frame.clientHeight), s.y));
    img.style.transform = `translate(${s.x}px, ${s.y}px) rotate(${s.turn}deg) scale(${s.scale * fit})`;
    img.style.filter = s.bright || s.contrast ? `brightness(${1.35 ** s.bright}) contrast(${1 + s.contrast * 0.5})` : "";
    shot.classList.toggle("chosen", i === chosen);
    shot.classList.toggle("zoomed", s.scale > 1);
    strip.children[i]?.setAttribute("aria-pressed", i === chosen);
  };
  const show = () => {
    shots.forEach(dress);
    magnify();
  };
  const choose = (i) => { chosen = i; show(); };

  /** Zooms, and keeps in place what is under the pointer. */
  const zoom = (i, factor, at) => {
    const s = state[i], box = frames[i].getBoundingClientRect();
    const x = at ? at.clientX - box.left - box.width / 2 : 0;
    const y = at ? at.clientY - box.top - box.height / 2 : 0;
    const scale = Math.max(1, Math.min(LARGEST, s.scale * factor));
    s.x = x - (x - s.x) * (scale / s.scale);
    s.y = y - (y - s.y) * (scale / s.scale);
    s.scale = scale;
  };

  const act = {
    zoom: (i, at) => zoom(i, state[i].scale > 1 ? 1 / LARGEST : 2.6, at),
    rotate: (i) => { state[i].turn = (state[i].turn + 90) % 360; },
    closer: (i) => zoom(i, 1.5),
    farther: (i) => zoom(i, 1 / 1.5),
    bright: (i) => { state[i].bright = Math.min(BRIGHTEST, state[i].bright + 1); },
    dark: (i) => { state[i].bright = Math.max(-BRIGHTEST, state[i].bright - 1); },
    contrast: (i) => { state[i].contrast = (state[i].contrast + 1) % 4; },
    loupe: () => { glass = glass ? null : { x: 0, y: 0 }; },
    reset: (i) => { state[i] = fresh(); glass = null; },
  };

  const pressed = (tool, on) => tools.querySelector(`[data-tool="${tool}"]`).setAttribute("aria-pressed", on);
  const filled = () => viewer?.classList.contains("filling") ?? false;
  const filling = (on) => {
    viewer.classList.toggle("filling", on);
    pressed("fill", on);
    show();
  };
  let settled = Promise.resolve();
  /** The viewer fills the window, and the screen where the browser permits it: not on an iPhone, for example. */
  const fill = (on) => {
    filling(on);
    const screen = () => (on ? viewer.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen());
    settled = settled.then(screen).catch(() => {});
  };
  // The browser leaves the full screen by itself as well.
  document.addEventListener("fullscreenchange", () => filling(Boolean(document.fullscreenElement)));
  /** Leaves full screen, because nothing outside it can take the focus. Resolves when it has been left. */
  const leave = () => {
    if (filled()) fill(false);
    return settled;
  };
  // What has the focus is visible.
  document.addEventListener("focusin", (event) => {
    if (filled() && !help.open && !viewer.contains(event.target)) fill(false);
  });

  /** Moves what is seen of the enlarged picture; of one that is not enlarged, the loupe. Answers whether there was anything to move. */
  const pan = (x, y) => {
    const s = state[chosen], frame = frames[chosen];
    const [dx, dy] = [x * STEP * frame.clientWidth, y * STEP * frame.clientHeight];
    if (s.scale > 1) [s.x, s.y] = [s.x - dx, s.y - dy];
    else if (glass) glass = { x: glass.x + dx / 2, y: glass.y + dy / 2 };
    else return false;
    show();
    return true;
  };
  const use = (tool, at) => {
    if (tool === "help") { help.showModal(); return; }
    if (tool === "fill") { if (shots.length) fill(!filled()); return; }
    if (tool === "compare" || tool === "flicker") {
      leave().then(() => {
        // Where no face was found, the whole pictures stand beside each other.
        if (document.querySelector("[data-faces]")) dispatchEvent(new CustomEvent("honnin-compare", { detail: tool }));
        else if (gallery) { gallery.classList.toggle("comparing"); show(); }
      });
      return;
    }
    if (!shots.length) return;
    act[tool](chosen, at);
    pressed("loupe", Boolean(glass));
    show();
  };

  shots.forEach((shot, i) => {
    const frame = frames[i];
    const fingers = new Map();
    let moved = false;
    // A plain click looks closer; with a modifier the picture opens in a new tab.
    frame.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      chosen = i;
      if (!moved) use("zoom", event.detail ? event : undefined);
    });
    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      chosen = i;
      zoom(i, Math.exp(-event.deltaY / 400), event);
      show();
    }, { passive: false });
    frame.addEventListener("dragstart", (event) => event.preventDefault());
    frame.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, event);
      moved = false;
    });
    frame.addEventListener("pointermove", (event) => {
      if (glass) {
        const box = frame.getBoundingClientRect();
        glass = { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 };
        choose(i);
      }
      const before = fingers.get(event.pointerId);
      if (!before) return;
      // A mouse that was let go outside the frame holds nothing.
      if (!event.buttons) { fingers.delete(event.pointerId); return; }
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      if (!moved) frame.setPointerCapture(event.pointerId);
      moved = true;
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      if (other) {
        const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
        const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
        zoom(i, far(event) / (far(before) || 1), middle);
      } else {
        state[i].x += dx;
        state[i].y += dy;
      }
      fingers.set(event.pointerId, event);
      show();
    });
    for (const end of ["pointerup", "pointercancel"]) frame.addEventListener(end, (event) => fingers.delete(event.pointerId));
  });
  if (shots.length) {
    strip.className = "strip";
    loupe.className = "loupe";
    loupe.append(Object.assign(document.createElement("img"), { alt: "" }));
    for (const [i, shot] of shots.entries()) {
      const button = document.createElement("button");
      const picture = document.createElement("img");
      button.type = "button";
      picture.src = shot.dataset.small;
      picture.alt = shot.querySelector("figcaption strong").textContent;
      button.append(picture);
      button.addEventListener("click", () => choose(i));
      strip.append(button);
    }
    gallery.before(strip);
    gallery.classList.add("viewer");
    addEventListener("resize", show);
  }
  if (tools && shots.length) {
    tools.hidden = false;
    tools.addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]");
      if (tool) use(tool.dataset.tool);
    });
    show();
  }

  const focus = (selector) => leave().then(() => document.querySelector(selector)?.focus());
  const reasons = [...document.querySelectorAll("[data-key]")];
  const keys = {
    z: () => use("zoom"), "+": () => use("closer"), "-": () => use("farther"), l: () => use("loupe"), r: () => use("rotate"),
    b: () => use("bright"), d: () => use("dark"), v: () => use("contrast"), 0: () => use("reset"), f: () => use("fill"),
    c: () => use("compare"), s: () => use("flicker"), "?": () => use("help"),
    n: () => focus("#note"), a: () => focus('[value="approve"]'), x: () => focus('[value="reject"]'),
    t: () => focus('[value="ask_again"]'),
    j: () => document.querySelector('[data-step="next"]')?.click(), k: () => document.querySelector('[data-step="previous"]')?.click(),
  };
  const arrows = { arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1] };
  document.addEventListener("keydown", (event) => {
    // Keys that convert what is typed, into Japanese for example, are no shortcuts. Safari ends the conversion before its last key.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    const key = event.key.toLowerCase();
    if (event.target.closest("textarea, select")) {
      // Out of the note, so that the shortcuts work again.
      if (key === "escape") event.target.blur();
      return;
    }
    if (event.target.closest("input:not([type=checkbox], [type=range])")) return;
    // Enter on a reason would press the form's first button, which loads the case again.
    if (key === "enter" && event.target.closest("input")) { event.preventDefault(); return; }
    if (key === "escape" && filled()) { fill(false); return; }
    if (arrows[key]) {
      // A slider has arrow keys of its own.
      if (shots.length && !event.target.closest("input") && pan(...arrows[key])) event.preventDefault();
      return;
    }
    if (localStorage.honninShortcuts === "off") return;
    // A key that is held acts once, or it would skip cases and tick a reason again and again. Zooming goes on.
    if (event.repeat && key !== "+" && key !== "-") return;
    const reason = reasons.find((box) => box.dataset.key === key);
    if (reason) { reason.click(); event.preventDefault(); return; }
    if (/^[1-4]$/.test(key) && shots[key - 1]) { choose(key - 1); event.preventDefault(); return; }
    if (keys[key]) { keys[key](); event.preventDefault(); }
  });

  for (const told of document.querySelectorAll("[data-counts]")) {
    const field = document.getElementById(told.dataset.counts);
    const count = () => { told.textContent = told.dataset.told.replace("{left}", (field.maxLength - field.value.length).toLocaleString("en")); };
    field.addEventListener("input", count);
    count();
  }

  const ruling = document.querySelector("[data-ruling]");
  const hold = document.querySelector("[data-hold]");
  const [lost, signedOut, away] = ["lost", "signed-out", "away"].map((name) => document.querySelector(`[data-${name}]`));
  /** Milliseconds after which an answer is no longer waited for. */
  const LONGEST = 10_000;

  /** Extends the reservation. Answers whether the server is away, and whether the person may not use it any more: a decision would not arrive. */
  const extend = async () => {
    const signal = AbortSignal.timeout?.(LONGEST);
    const answer = await fetch(hold.dataset.hold, { method: "POST", redirect: "manual", signal }).catch(() => null);
    const isAway = !answer || answer.status >= 500 || [408, 429].includes(answer.status);
    // Signed out, or no longer allowed to review.
    const isOut = answer?.type === "opaqueredirect" || [401, 403].includes(answer?.status);
    const until = answer?.ok ? (await answer.json().catch(() => ({}))).until : undefined;
    if (until) Object.assign(hold.querySelector("[data-until]"), { textContent: until, dateTime: `${until.replace(" ", "T")}Z` });
    if (!isAway) [away.hidden, signedOut.hidden] = [true, !isOut];
    if (until !== undefined) lost.hidden = until !== null;
    return { isAway, isOut };
  };

  // The decision covers the end of what is scrolled, and browsers count what is under it as seen: whoever uses the keyboard sees what has the focus.
  const [side, bar] = [".case-side", ".rulings"].map((part) => document.querySelector(part));
  if (bar) side.addEventListener("focusin", ({ target }) => {
    const { top, bottom } = target.getBoundingClientRect();
    const hidden = bottom - bar.getBoundingClientRect().top;
    if (hidden <= 0 || bar.contains(target) || !target.matches(":focus-visible")) return;
    const scrolled = side.scrollHeight > side.clientHeight ? side : document.scrollingElement;
    const start = scrolled === side ? side.getBoundingClientRect().top : 0;
    const padding = parseFloat(getComputedStyle(scrolled).scrollPaddingTop) || 0;
    // The beginning of what is taller than the room above stays visible.
    scrolled.scrollBy({ top: Math.min(hidden + 8, Math.max(top - start - padding, 0)), behavior: "instant" });
  });

  const isChanged = (field) => {
    if (field.type === "checkbox") return field.checked !== field.defaultChecked;
    return field.type === "textarea" && field.value !== field.defaultValue;
  };
  const isTyped = () => Boolean(ruling) && ("unsaved" in ruling.dataset || [...ruling.elements].some(isChanged));
  let isAsking = false, isSure = false, isLeft = false;
  /** Sends the form if it would arrive: a page that says that the network or the session is gone would take the place of what was typed. */
  const send = async (button) => {
    if (isAsking) return;
    isAsking = true;
    // What is shown again is said again.
    away.hidden = signedOut.hidden = true;
    const { isAway, isOut } = await extend();
    isAsking = false;
    away.hidden = !isAway;
    if (isAway || isOut) { (isOut ? signedOut : away).scrollIntoView({ block: "nearest" }); return; }
    isSure = true;
    button.click();
    isSure = false;
  };
  ruling?.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (submitter?.matches("[data-step]")) {
      // Whoever goes on to another case is asked first if what they have typed would be lost.
      if (isTyped() && !confirm(ruling.dataset.leaving)) { event.preventDefault(); return; }
      // The server need not ask again.
      ruling.addEventListener("formdata", ({ formData }) => formData.set("leaving", submitter.value), { once: true });
    } else if (submitter && !isSure) {
      event.preventDefault();
      send(submitter);
      return;
    }
    isLeft = true;
  });
  // The second click of a double click may arrive when the next case is shown, which nobody has looked at yet.
  for (const button of document.querySelectorAll(".rulings button")) {
    button.addEventListener("click", (event) => { if (event.detail > 1) event.preventDefault(); });
  }
  // Whoever comes back by the browser's button is here again.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) isLeft = false; });
  // On every other way, such as a link or the button that undoes the decision before, the browser asks in its own words.
  addEventListener("beforeunload", (event) => {
    if (isLeft || !isTyped()) return;
    event.preventDefault();
    // For browsers from before 2024.
    event.returnValue = true;
  });

  // Activity on this page extends the reservation of the case.
  let busy = false;
  for (const sign of ["keydown", "pointermove", "input"]) document.addEventListener(sign, () => { busy = true; });
  const keep = () => {
    if (!busy || document.hidden) return;
    busy = false;
    extend();
  };
  if (hold) setInterval(keep, 4 * 60_000);
})();
