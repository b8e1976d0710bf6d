(() => {
  for (const box of document.querySelectorAll(".copy")) {
    const button = box.querySelector("[data-copy]");
    const line = box.querySelector("[data-link]");
    const told = box.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(line ? line.value : location.href);
      } catch {
        line?.select();
        done = Boolean(line) && document.execCommand("copy");
      }
      told.textContent = done ? told.dataset.done : told.dataset.failed;
    });
  }

  const blind = document.querySelector("[data-no-camera]");
  // An app that shows pages may have a camera for them and refuse it.
  const isInApp = () => new RegExp(blind.dataset.noCamera).test(navigator.userAgent);
  if (blind && (!navigator.mediaDevices?.getUserMedia || isInApp())) blind.hidden = false;

  const opened = document.querySelector("[data-follow]");
  const rest = (ms) => new Promise((go) => setTimeout(go, ms));
  const isOpen = async () => {
    try {
      const answer = await fetch(opened.dataset.follow, { headers: { accept: "application/json" }, cache: "no-store" });
      return !answer.ok || (await answer.json()).open;
    } catch {
      return true;
    }
  };
  const follow = async () => {
    for (;;) {
      const asked = Date.now();
      // A hidden page does not poll.
      if (!document.hidden && !(await isOpen())) break;
      await rest(Date.now() - asked < 2000 ? 4000 : 500);
    }
    for (const part of opened.parentElement.children) part.hidden = part !== opened;
    opened.querySelector("h1").focus();
  };
  // On a small screen the link is opened on this device, so there is nothing to follow.
  const scans = opened?.hasAttribute("data-always") || matchMedia("(min-width: 48rem) and (hover: hover)").matches;
  if (opened && scans) follow();
})();
