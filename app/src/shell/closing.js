(() => {
  // Warn this long before: enough to fetch glasses or a document.
  const WARN_S = 300;
  // An end that is so long ago, in seconds, says that the clock of the phone has been set meanwhile, or that no browser is let in any longer: the
  // server knows which.
  const LEAP_S = 4 * 3600;
  // In ms: an answer that takes longer is not waited for.
  const LATE = 15_000;
  const idle = document.querySelector("[data-closing]");
  const last = document.querySelector("[data-closing-last]");
  if (!idle?.showModal) return;
  const failed = idle.querySelector("[data-failed]");
  let timer, told = false, asked = 0;

  const plan = (seconds, renewable) => {
    const end = Date.now() + seconds * 1000;
    const box = renewable ? idle : last;
    const look = () => {
      // A sleeping phone stops timers, so the clock decides.
      const left = (end - Date.now()) / 1000;
      if (left < -LEAP_S) return more();
      // The server has closed the page and shows what to do now.
      if (left <= 0) return location.assign("/capture");
      if (left <= WARN_S) {
        const line = box.querySelector("[data-told]");
        line.textContent = line.dataset.told.replace("{minutes}", Math.ceil(left / 60));
        if (!box.open && !told) box.showModal();
        told = true;
      }
      timer = setTimeout(look, Math.min(left, left > WARN_S ? left - WARN_S : 15) * 1000);
    };
    clearTimeout(timer);
    told = false;
    look();
  };

  const more = async () => {
    const turn = ++asked;
    failed.textContent = "";
    try {
      const answer = await fetchWithin(LATE, "/capture/more-time", { method: "POST", headers: { accept: "application/json" } });
      if (isOver(answer)) return location.assign("/capture");
      if (!answer.ok) throw answer.status;
      const { seconds, renewable } = await answer.json();
      idle.close();
      if (seconds) plan(seconds, renewable);
    } catch {
      // No connection, or no server at the moment: the warning stays, and can be answered again.
      if (turn === asked) failed.textContent = failed.dataset.failed;
    }
  };
  idle.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    more();
  });
  // Whoever asked without a connection has asked.
  addEventListener("online", () => failed.textContent && more());
  idle.addEventListener("cancel", (event) => {
    event.preventDefault();
    more();
  });

  plan(Number(idle.dataset.closing), idle.dataset.renewable === "true");
})();
