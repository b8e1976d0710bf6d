// An OpenID provider: npm `oidc-provider` with its plain sign-in pages. On 127.0.0.1, so that it is another site than `localhost`.
import { once } from "node:events";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

/** Starts a provider with one client; whoever signs in is `NAME@bank.example`. */
export async function startProvider(port, client, base) {
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [{
      ...client,
      redirect_uris: [`${base}/admin/sign-in/openid/callback`],
      post_logout_redirect_uris: [`${base}/admin/sign-in`],
    }],
    // The ID token says everything, as those of Keycloak, Entra ID and Google do.
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@bank.example`, email_verified: true }) }),
  });
  const pages = provider.callback();
  // Browsers ask for an icon, which it has not got.
  const answer = (request, response) => request.url === "/favicon.ico" ? response.writeHead(204).end() : pages(request, response);
  const server = createServer(answer).listen(port, "127.0.0.1");
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
