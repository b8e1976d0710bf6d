(() => {
  if (!window.PublicKeyCredential) return;
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const keys = (ids) => ids.map((id) => ({ type: "public-key", id: bytes(id) }));

  const create = async (asked) => {
    const made = await navigator.credentials.create({ publicKey: {
      challenge: bytes(asked.challenge),
      rp: { id: asked.party, name: "Honnin" },
      user: { id: new TextEncoder().encode(asked.user), name: asked.account, displayName: asked.name },
      pubKeyCredParams: asked.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: keys(asked.credentials),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    } });
    return { attestation: text(made.response.attestationObject), made };
  };
  const get = async (asked) => {
    const made = await navigator.credentials.get({ publicKey: {
      challenge: bytes(asked.challenge),
      rpId: asked.party,
      allowCredentials: keys(asked.credentials),
      userVerification: "required",
    } });
    const { authenticatorData, signature } = made.response;
    return { authenticatorData: text(authenticatorData), signature: text(signature), made };
  };

  const KEPT = "passkey-name";
  for (const form of document.querySelectorAll("[data-passkey]")) {
    const button = form.querySelector("[data-passkey-ask]");
    const [said, out] = ["said", "out"].map((what) => form.querySelector(`[data-passkey-${what}]`));
    const name = form.dataset.purpose === "create" ? form.querySelector('[name="name"]') : null;
    if (name) {
      name.value ||= sessionStorage.getItem(KEPT) ?? "";
      sessionStorage.removeItem(KEPT);
    }
    form.hidden = false;
    button.hidden = false;
    button.addEventListener("click", async () => {
      said.hidden = out.hidden = true;
      try {
        const answer = await fetch(form.dataset.passkey, { method: "POST" });
        if (answer.redirected && name) {
          // They confirm first that it is them, and come back to the name that they have typed.
          sessionStorage.setItem(KEPT, name.value);
          location.assign(answer.url);
          return;
        }
        // To the sign-in: a session that has ended meanwhile.
        if (answer.redirected) { out.hidden = false; return; }
        if (!answer.ok) throw new Error(String(answer.status));
        const asked = await answer.json();
        const { made, ...signed } = await (form.dataset.purpose === "create" ? create : get)(asked);
        const credential = { id: text(made.rawId), clientData: text(made.response.clientDataJSON), ...signed };
        form.querySelector('[name="credential"]').value = JSON.stringify(credential);
        form.submit();
      } catch {
        said.hidden = false;
      }
    });
  }
})();
