(() => {
  const gallery = document.querySelector("[data-gallery]");
  const tools = document.querySelector("[data-tools]");
  const help = document.querySelector("[data-keys]");
  const shots = gallery ? [...gallery.querySelectorAll("[data-shot]")] : [];
  const LARGEST = 8;
  let chosen = 0;
  const fresh = () => ({ turn: 0, bright: 0, contrast: 0, scale: 1, x: 0, y: 0 });
  const state = shots.map(fresh);
  const frames = shots.map((shot) => shot.querySelector(".shot-frame"));
  const strip = document.createElement("div");

  const show = () => shots.forEach((shot, i) => {
    const s = state[i], frame = frames[i], img = shot.querySelector("img");
    const sideways = s.turn % 180 !== 0;
    const fit = sideways ? Math.min(frame.clientHeight / img.offsetWidth, frame.clientWidth / img.offsetHeight, 1) || 1 : 1;
    // The picture never leaves its frame.
    const room = (size) => (size * (s.scale - 1)) / 2;
    s.x = Math.max(-room(frame.clientWidth), Math.min(room(frame.clientWidth), s.x));
    s.y = Math.max(-room(frame.clientHeight), Math.min(room(frame.clientHeight), s.y));
    img.style.transform = `translate(${s.x}px, ${s.y}px) rotate(${s.turn}deg) scale(${s.scale * fit})`;
    img.style.filter = s.bright || s.contrast ? `brightness(${1 + s.bright * 0.35}) contrast(${1 + s.contrast * 0.5})` : "";
    shot.classList.toggle("chosen", i === chosen);
    shot.classList.toggle("zoomed", s.scale > 1);
    strip.children[i]?.setAttribute("aria-pressed", i === chosen);
  });
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
    bright: (i) => { state[i].bright = (state[i].bright + 1) % 4; },
    contrast: (i) => { state[i].contrast = (state[i].contrast + 1) % 4; },
    reset: (i) => { state[i] = fresh(); },
  };
  const use = (tool, at) => {
    if (tool === "help") { help.showModal(); return; }
    if (tool === "compare" || tool === "flicker") {
      // Where no face was found, the whole pictures stand beside each other.
      if (document.querySelector("[data-faces]")) dispatchEvent(new CustomEvent("honnin-compare", { detail: tool }));
      else { gallery.classList.toggle("comparing"); show(); }
      return;
    }
    if (shots.length) { act[tool](chosen, at); show(); }
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
      const before = fingers.get(event.pointerId);
      if (!before) return;
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
    for (const [i, shot] of shots.entries()) {
      const button = document.createElement("button");
      const picture = document.createElement("img");
      button.type = "button";
      picture.src = shot.querySelector("img").src;
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

  const focus = (selector) => document.querySelector(selector)?.focus();
  const reasons = [...document.querySelectorAll("[data-key]")];
  const keys = {
    z: () => use("zoom"), r: () => use("rotate"), b: () => use("bright"), v: () => use("contrast"), 0: () => use("reset"), c: () => use("compare"), f: () => use("flicker"), "?": () => use("help"),
    n: () => focus("#note"), a: () => focus('[value="approve"]'), x: () => focus('[value="reject"]'),
    t: () => focus('[value="ask_again"]'),
    j: () => document.querySelector('a[rel="next"]')?.click(), k: () => document.querySelector('a[rel="prev"]')?.click(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    const key = event.key.toLowerCase();
    if (event.target.closest("textarea, select")) {
      // Out of the note, so that the shortcuts work again.
      if (key === "escape") event.target.blur();
      return;
    }
    if (event.target.closest("input:not([type=checkbox], [type=range])")) return;
    const reason = reasons.find((box) => box.dataset.key === key);
    if (reason) { reason.click(); event.preventDefault(); return; }
    if (/^[1-4]$/.test(key) && shots[key - 1]) { choose(key - 1); event.preventDefault(); return; }
    if (keys[key]) { keys[key](); event.preventDefault(); }
  });

  // Activity on this page extends the reservation of the case.
  const hold = document.querySelector("[data-hold]");
  let busy = false;
  for (const sign of ["keydown", "pointermove", "input"]) document.addEventListener(sign, () => { busy = true; });
  const keep = async () => {
    if (!busy || document.hidden) return;
    busy = false;
    const answer = await fetch(hold.dataset.hold, { method: "POST" }).catch(() => null);
    const until = answer?.ok ? (await answer.json()).until : undefined;
    if (until) hold.querySelector("[data-until]").textContent = until;
    if (until === null) document.querySelector("[data-lost]").hidden = false;
  };
  if (hold) setInterval(keep, 4 * 60_000);
})();
