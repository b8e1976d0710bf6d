// Fills in what is read while the page is shown, where nobody has typed: neither here nor on a page that was sent before.
(() => {
  const { follow } = document.currentScript.dataset;
  const form = document.querySelector("form[data-kept]");
  const told = document.querySelector("[data-reading]");
  let typed = form.querySelector("[data-typed]") !== null;
  form.addEventListener("input", () => { typed = true; });
  const inputs = (field) => [...field.querySelectorAll("input, textarea")];
  const isUntouched = (input) => input.value === input.defaultValue && input !== document.activeElement;
  const isOpen = (field) => !field.hasAttribute("data-typed") && inputs(field).every(isUntouched);
  // What is wrong with a field is said until there is something in it.
  const brings = (fresh, old) => !old.classList.contains("wrong") || inputs(fresh).some((input) => input.value);
  // The field as it is now, with the input that the page's other scripts know.
  const renew = (old, fresh) => {
    for (const input of inputs(old)) {
      const now = fresh.querySelector(`#${input.id}`);
      input.value = input.defaultValue = now.value;
      for (const name of ["aria-invalid", "aria-describedby"]) {
        if (now.hasAttribute(name)) input.setAttribute(name, now.getAttribute(name));
        else input.removeAttribute(name);
      }
      now.replaceWith(input);
    }
    old.replaceWith(fresh);
  };
  // The summary keeps what is still wrong. Without it, the title is that of the page without mistakes.
  const settle = (title) => {
    const summary = document.querySelector(".error-summary");
    if (!summary) return;
    const isFocused = summary.contains(document.activeElement);
    for (const link of summary.querySelectorAll("a")) {
      if (!document.getElementById(link.hash.slice(1)).closest(".wrong")) link.closest("li").remove();
    }
    const isOver = !summary.querySelector("a");
    if (isOver) {
      summary.remove();
      document.title = title;
    }
    if (isFocused) (isOver ? document.getElementById("main") : summary).focus({ preventScroll: true });
  };
  // Gives way to another page. What was typed stays, and the server says so when it is sent.
  const leave = () => {
    // Not loaded again: the page may be the answer to a form, which would be sent again.
    if (!typed) location.replace(follow);
    return true;
  };
  const look = async () => {
    // A hidden page does not ask.
    if (document.hidden) return false;
    const answer = await fetchWithin(20_000, follow, { cache: "no-store" });
    if (isOver(answer) && !isOnItsWay()) return leave();
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.querySelector("[data-reading]");
    if (now?.dataset.reading === "true") return false;
    if (isOnItsWay()) return false;
    const names = (of) => inputs(of).map((input) => input.id).join();
    const same = now && names(page.querySelector("form[data-kept]")) === names(form);
    // Another step is due, or other items are asked for.
    if (!same) return leave();
    for (const fresh of page.querySelectorAll(".field")) {
      const [first] = inputs(fresh);
      const old = first && document.getElementById(first.id).closest(".field");
      if (old && isOpen(old) && brings(fresh, old)) renew(old, fresh);
    }
    settle(page.title);
    told.innerHTML = now.innerHTML;
    return true;
  };
  const again = async () => {
    try {
      if (await look()) return;
    } catch {
      // Offline for a moment: asked again.
    }
    setTimeout(again, 3000);
  };
  setTimeout(again, 1000);
})();
