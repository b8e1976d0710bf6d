(() => {
  for (const box of document.querySelectorAll(".copy")) {
    const button = box.querySelector("[data-copy]");
    const line = box.querySelector("[data-link]");
    const told = box.querySelector("[role=status]");
    if (!line.value) line.value = location.href;
    button.hidden = false;
    button.addEventListener("click", async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(line.value);
      } catch {
        // To be copied by hand, unless the old way is still allowed.
        line.parentElement.hidden = false;
        line.focus();
        line.select();
        done = document.execCommand("copy");
      }
      told.textContent = done ? told.dataset.done : told.dataset.failed;
    });
  }

  const blind = document.querySelector("[data-no-camera]");
  // An app that shows pages may have a camera for them and refuse it.
  const isInApp = () => new RegExp(blind.dataset.noCamera).test(navigator.userAgent);
  if (blind && (!navigator.mediaDevices?.getUserMedia || isInApp())) blind.hidden = false;

  const opened = document.querySelector("[data-follow]");
  // Longer than the server waits for the link to be opened, in ms.
  const LATE = 30_000;
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  const isOpen = async () => {
    try {
      const answer = await fetchWithin(LATE, opened.dataset.follow, { headers: { accept: "application/json" }, cache: "no-store" });
      return !answer.ok || (await answer.json()).open;
    } catch {
      return true;
    }
  };
  // The page of whoever made the link works until somebody opens the link: if it does, the link has only run out.
  const here = opened?.dataset.here;
  const isStillHere = async () => {
    for (;;) {
      try {
        const answer = await fetchWithin(LATE, here, { cache: "no-store" });
        if (answer.ok) return true;
        if (isOver(answer)) return false;
      } catch {
        // No connection, which says nothing about the page.
      }
      // Nor does a server that is busy. A hidden page does not poll.
      do await rest(4000); while (document.hidden);
    }
  };
  const follow = async () => {
    for (;;) {
      const asked = Date.now();
      // A hidden page does not poll.
      if (!document.hidden && !(await isOpen())) break;
      await rest(Date.now() - asked < 2000 ? 4000 : 500);
    }
    if (here && (await isStillHere())) {
      location.replace(here);
      return;
    }
    for (const part of opened.parentElement.children) part.hidden = part !== opened;
    opened.querySelector("h1").focus();
  };
  // Where the start page shows no code, as in style/capture.css, the link is opened on this device: there is nothing to follow.
  const scans = here || matchMedia("(hover: hover) and (pointer: fine)").matches;
  if (opened && scans) follow();
})();
