(() => {
  // The key is in this page's memory only: nothing stores it, and a reload forgets it.
  const panel = document.querySelector("[data-try-key]");
  const key = panel.querySelector("input");
  panel.hidden = false;
  panel.addEventListener("submit", (event) => event.preventDefault());
  const SHOWN = ["x-request-id", "content-type", "allow", "www-authenticate"];

  const address = (form) => {
    let path = form.dataset.path;
    const query = new URLSearchParams();
    for (const { name, value, dataset } of form.elements) {
      const text = (value ?? "").trim();
      if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(text));
      if (text === "") continue;
      if (dataset.in === "query") query.append(name, text);
      if (dataset.in === "members") {
        const [member, ...rest] = text.split("=");
        query.append(`${name}[${member}]`, rest.join("="));
      }
    }
    // Not by its size, which Safari before 17 does not know.
    return `${query}` === "" ? path : `${path}?${query}`;
  };

  const request = (form) => {
    const headers = { authorization: `Bearer ${key.value.trim()}` };
    let body;
    for (const { name, value, dataset } of form.elements) {
      if (dataset.in === "header" && value.trim() !== "") headers[name] = value.trim();
      if (dataset.in === "body") body = value;
    }
    return { method: form.dataset.try, headers, body, credentials: "omit", cache: "no-store", redirect: "error" };
  };

  const readable = (text) => {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  };

  const send = async (form, said, shown) => {
    const started = performance.now();
    const answer = await fetch(address(form), request(form));
    const text = await answer.text();
    const took = Math.round(performance.now() - started);
    said.textContent = `${answer.status} ${answer.statusText} in ${took} ms`;
    const headers = SHOWN.filter((name) => answer.headers.has(name)).map((name) => `${name}: ${answer.headers.get(name)}`);
    shown.textContent = `${headers.join("\n")}\n\n${readable(text)}`;
    shown.hidden = false;
    // The next operations are usually about the session just created.
    const created = answer.status === 201 && JSON.parse(text).id;
    for (const field of created ? document.querySelectorAll('[data-in="path"]') : []) field.value = created;
  };

  for (const form of document.querySelectorAll("[data-try]")) {
    const [said, shown] = [form.querySelector("[role=status]"), form.querySelector("pre")];
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      shown.hidden = true;
      if (!key.value.trim().startsWith("hn_test_")) {
        said.textContent = "Enter the key of a sandbox tenant at the top of this page. It begins with hn_test_.";
        key.focus();
        return;
      }
      said.textContent = "Waiting for the response…";
      try {
        await send(form, said, shown);
      } catch {
        said.textContent = "There was no response.";
      }
    });
  }
})();
