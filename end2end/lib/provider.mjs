// An OpenID provider: npm `oidc-provider` with its plain sign-in pages. On 127.0.0.1, so that it is another site than `localhost`.
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { Provider } from "oidc-provider";

/** Another client of the same provider. */
const other = { client_id: "another-client", client_secret: "of-another-client" };

/**
 * What somebody may do to an attempt between the browser, honnin and the provider, who signs what it is asked for. Each gets the request, whether it
 * is that for a token, and how the provider answers.
 */
export const tampering = {
  none: (request, _, answer) => answer(request),
  /** The sign-in was begun for another nonce. */
  nonce: (request, isToken, answer) => {
    if (!isToken) request.url = changed(request.url, "nonce", "of-another-attempt");
    return answer(request);
  },
  /** The person signed in to another client. */
  audience: (request, isToken, answer) => {
    const { client_id, client_secret } = other;
    if (isToken) request.headers.authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`;
    else request.url = changed(request.url, "client_id", client_id);
    return answer(request);
  },
  /** Somebody was first to use the code. */
  code: async (request, isToken, answer) => {
    if (!isToken) return answer(request);
    const { host, authorization, "content-type": type } = request.headers;
    const headers = { authorization, "content-type": type, "x-sent-on": "yes" };
    const body = Buffer.concat(await request.toArray());
    const send = () => fetch(`http://${host}${request.url}`, { method: "POST", headers, body });
    const first = await send();
    if (!first.ok) throw new Error(`the first use of the code was refused: ${first.status}`);
    return send();
  },
  /** The token was issued two hours ago, for one hour. */
  time: async (request, isToken, answer) => {
    if (!isToken) return answer(request);
    const now = Date.now;
    Date.now = () => now() - 7_200_000;
    try {
      return await answer(request);
    } finally {
      Date.now = now;
    }
  },
};

function changed(url, name, value) {
  const [path, query] = url.split("?");
  const fields = new URLSearchParams(query);
  fields.set(name, value);
  return `${path}?${fields}`;
}

/** Starts a provider with one client; whoever signs in is `NAME@bank.example`. `tamper` of what is returned is one of `tampering`. */
export async function startProvider(port, client, base) {
  const addresses = {
    redirect_uris: [`${base}/admin/sign-in/openid/callback`],
    post_logout_redirect_uris: [`${base}/admin/sign-in`],
  };
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [{ ...client, ...addresses }, { ...other, ...addresses }],
    // The ID token says everything, as those of Keycloak, Entra ID and Google do.
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@bank.example`, email_verified: true }) }),
  });
  const pages = provider.callback();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://provider");
    // Browsers ask for an icon, which it has not got.
    if (pathname === "/favicon.ico") return response.writeHead(204).end();
    const isToken = pathname === "/token";
    if ((!isToken && pathname !== "/auth") || request.headers["x-sent-on"]) return pages(request, response);
    const answered = await server.tamper(request, isToken, (changed) => pages(changed, response));
    if (answered instanceof Response) {
      response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") });
      Readable.fromWeb(answered.body).pipe(response);
    }
  });
  server.tamper = tampering.none;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Signs in at the provider, and agrees if it asks. */
export async function signInThere(page, name, back) {
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("anything");
  await page.locator("button[type=submit]").click();
  const consent = page.getByRole("button", { name: "Continue" });
  const arrived = page.waitForURL(back);
  // Of the two, one never comes.
  await Promise.race([arrived, consent.waitFor().catch(() => {})]);
  if (await consent.isVisible().catch(() => false)) await consent.click();
  await arrived;
}
