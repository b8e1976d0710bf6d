(js, wasm) => {
  const page = document.documentElement.dataset;
  // The page then reads as without scripts.
  const sleep = (reason) => {
    page.islands = "asleep";
    console.warn("islands stay asleep", reason);
  };
  // Whoever has signed in to a network comes back to the page, or is online.
  const chance = () => new Promise((go) => {
    addEventListener("online", go, { once: true });
    document.addEventListener("visibilitychange", () => document.hidden || go());
  });
  // A network that wants to be signed in to sends its own page in the place of everything.
  const module = async () => {
    const answer = await fetch(wasm);
    if (answer.ok && !answer.headers.get("content-type")?.startsWith("text/")) return answer;
    wasm += "?";
    throw new TypeError(`no module: ${answer.status}`);
  };
  // The browser's half is optional: as long as it cannot load, the plain forms stay as they are.
  const load = async (pause) => {
    try {
      const half = await import(js);
      await half.default({ module_or_path: await module() });
      return half;
    } catch (reason) {
      // What the browser cannot compile, or its version of the page's policy forbids, it refuses for good.
      if ([WebAssembly.CompileError, EvalError].some((kind) => reason instanceof kind)) throw reason;
      if (pause > 8e3) {
        sleep(reason);
        await chance();
        pause = 250;
      } else await new Promise((go) => setTimeout(go, pause));
      js += "?";
      return load(pause * 2);
    }
  };
  page.islands = "waking";
  // The camera is shown in a dialog.
  const missing = ["WebAssembly", "HTMLDialogElement"].find((name) => !globalThis[name]);
  if (!missing) load(500).then(async (half) => {
    half.hydrate();
    for (const island of document.querySelectorAll("leptos-island")) await half[island.dataset.component]?.(island);
    page.islands = "awake";
  }).catch(sleep);
  else sleep(`no ${missing}`);
  const dress = (link, pause) => pause > 8e3 || setTimeout(() => {
    link.onerror = () => dress(link, pause * 2);
    link.href += "?";
  }, pause);
  for (const link of document.querySelectorAll("[rel=stylesheet]")) link.sheet?.cssRules.length || dress(link, 500);
}
