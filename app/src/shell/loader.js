(js, wasm) => {
  // The browser's half is optional: if it cannot load, the plain forms stay as they are.
  const load = async (pause) => {
    try {
      const half = await import(js);
      await half.default({ module_or_path: wasm });
      return half;
    } catch (reason) {
      // What the browser cannot compile, or its version of the page's policy forbids, it refuses for good.
      const isFinal = [WebAssembly.CompileError, EvalError].some((kind) => reason instanceof kind);
      if (pause > 8e3 || isFinal) throw reason;
      await new Promise((go) => setTimeout(go, pause));
      js += "?";
      return load(pause * 2);
    }
  };
  document.documentElement.dataset.islands = "waking";
  // The page then reads as without scripts.
  const sleep = (reason) => {
    document.documentElement.dataset.islands = "asleep";
    console.warn("islands stay asleep", reason);
  };
  // The camera is shown in a dialog.
  const missing = ["WebAssembly", "HTMLDialogElement"].find((name) => !globalThis[name]);
  if (!missing) load(500).then(async (half) => {
    half.hydrate();
    for (const island of document.querySelectorAll("leptos-island")) await half[island.dataset.component]?.(island);
    document.documentElement.dataset.islands = "awake";
  }).catch(sleep);
  else sleep(`no ${missing}`);
  const dress = (link, pause) => pause > 8e3 || setTimeout(() => {
    link.onerror = () => dress(link, pause * 2);
    link.href += "?";
  }, pause);
  for (const link of document.querySelectorAll("[rel=stylesheet]")) link.sheet?.cssRules.length || dress(link, 500);
}
