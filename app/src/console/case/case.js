(() => {
  const gallery = document.querySelector("[data-gallery]");
  const tools = document.querySelector("[data-tools]");
  const help = document.querySelector("[data-keys]");
  const shots = gallery ? [...gallery.querySelectorAll("[data-shot]")] : [];
  let chosen = 0;
  const state = shots.map(() => ({ turn: 0, bright: 0, zoom: false, x: 50, y: 50 }));

  const show = () => shots.forEach((shot, i) => {
    const { turn, bright, zoom, x, y } = state[i];
    const img = shot.querySelector("img");
    const sideways = turn % 180 !== 0;
    const frame = shot.querySelector(".shot-frame");
    const fit = sideways ? Math.min(frame.clientHeight / img.offsetWidth, frame.clientWidth / img.offsetHeight, 1) || 1 : 1;
    img.style.transformOrigin = zoom ? `${x}% ${y}%` : "center";
    img.style.transform = `rotate(${turn}deg) scale(${zoom ? 2.6 : fit})`;
    img.style.filter = bright ? `brightness(${1 + bright * 0.35})` : "";
    shot.classList.toggle("chosen", i === chosen);
    shot.classList.toggle("zoomed", zoom);
  });

  const act = {
    zoom: (s) => { s.zoom = !s.zoom; },
    rotate: (s) => { s.turn = (s.turn + 90) % 360; },
    bright: (s) => { s.bright = (s.bright + 1) % 4; },
  };
  const use = (tool) => {
    if (tool === "help") { help.showModal(); return; }
    if (tool === "compare") { gallery.classList.toggle("comparing"); show(); return; }
    if (shots.length) { act[tool](state[chosen]); show(); }
  };

  shots.forEach((shot, i) => {
    const frame = shot.querySelector(".shot-frame");
    frame.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      state[i].x = ((event.clientX - box.left) / box.width) * 100;
      state[i].y = ((event.clientY - box.top) / box.height) * 100;
      chosen = i;
      use("zoom");
    });
    frame.addEventListener("mousemove", (event) => {
      if (!state[i].zoom) return;
      const box = frame.getBoundingClientRect();
      state[i].x = ((event.clientX - box.left) / box.width) * 100;
      state[i].y = ((event.clientY - box.top) / box.height) * 100;
      show();
    });
  });
  if (tools && shots.length) {
    tools.hidden = false;
    tools.addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]");
      if (tool) use(tool.dataset.tool);
    });
    show();
  }

  const focus = (selector) => document.querySelector(selector)?.focus();
  const keys = {
    z: () => use("zoom"), r: () => use("rotate"), b: () => use("bright"), c: () => use("compare"), "?": () => use("help"),
    n: () => focus("#note"), a: () => focus('[value="approve"]'), x: () => focus('[value="reject"]'),
    t: () => focus('[value="ask_again"]'),
    j: () => document.querySelector('a[rel="next"]')?.click(), k: () => document.querySelector('a[rel="prev"]')?.click(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    if (event.target.closest("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    if (/^[1-9]$/.test(key) && shots[key - 1]) { chosen = key - 1; show(); event.preventDefault(); return; }
    if (keys[key]) { keys[key](); event.preventDefault(); }
  });

  // How long each decision can still be undone.
  for (const undo of document.querySelectorAll("[data-undo]")) {
    const left = undo.querySelector("[data-left]");
    const ends = Date.now() + Number(left.textContent) * 1000;
    const count = setInterval(() => {
      const seconds = Math.ceil((ends - Date.now()) / 1000);
      if (seconds > 0) { left.textContent = seconds; return; }
      clearInterval(count);
      undo.remove();
    }, 250);
  }

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
