(js, wasm) => {
  // The browser's half is optional: if it cannot load, the plain forms stay as they are.
  import(js).then(async (half) => {
    await half.default({ module_or_path: wasm });
    half.hydrate();
    for (const island of document.querySelectorAll("leptos-island")) await half[island.dataset.component]?.(island);
    document.documentElement.dataset.islands = "awake";
  }).catch((reason) => console.warn("islands stay asleep", reason));
}
