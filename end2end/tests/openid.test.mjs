// Signing in to the console with an OpenID provider, in a real browser: links, cookies and policies let it happen, with and without
// scripts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { freePort, until } from "../lib/places.mjs";
import { signInThere, startProvider, tampering } from "../lib/provider.mjs";

const long = { timeout: 900_000 };
const client = { client_id: "honnin", client_secret: "only for this test" };
let browser, honnin, provider, tenant;

before(async () => {
  const port = await freePort();
  honnin = await Honnin.start("openid", {
    HONNIN_OPENID_ISSUER: `http://127.0.0.1:${port}`,
    HONNIN_OPENID_CLIENT_ID: client.client_id,
    HONNIN_OPENID_CLIENT_SECRET: client.client_secret,
    HONNIN_OPENID_NAME: "Example Login",
    HONNIN_OPENID_LOCAL_SIGN_IN: "false",
  });
  provider = await startProvider(port, client, honnin.base);
  browser = await Browser.open();
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
});

after(async () => {
  await browser?.close();
  provider?.close();
  await honnin?.stop();
});

const at = (path) => (url) => url.href.startsWith(`${honnin.base}${path}`);

test("somebody who is invited joins, signs out there as well, and confirms a sensitive action", long, async () => {
  const words = ["--tenant", tenant.tenantId, "--email", "rei@bank.example", "--name", "Rei Reviewer", "--role", "admin"];
  const [link] = (await honnin.command("user", "invite", ...words)).match(/http\S+/);
  const page = await browser.desktop();
  await page.goto(link);
  const stumbles = await look(page, "openid-invitation");
  await page.getByRole("link", { name: "Accept with Example Login" }).click();
  await signInThere(page, "rei", at("/admin"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/admin");

  await page.goto(`${honnin.base}/admin/keys`);
  await page.getByLabel("Name").first().fill("Till");
  await page.getByRole("button", { name: "Issue" }).first().click();
  await page.getByText("Confirm first that it is you.").first().waitFor();
  stumbles.push(...(await look(page, "openid-keys")));
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Confirm that it is you" }).click();
  const tab = await opened;
  await tab.waitForURL(at("/admin/confirm"));
  stumbles.push(...(await look(tab, "openid-confirm")));
  await tab.getByRole("link", { name: "Confirm with Example Login" }).click();
  await signInThere(tab, "rei", at("/admin"));
  await tab.getByText("Thank you. You can continue.").waitFor();
  await tab.close();
  assert.equal(await page.getByLabel("Name").first().inputValue(), "Till", "what was typed stays");
  await page.getByRole("button", { name: "Issue" }).first().click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();

  await page.goto(`${honnin.base}/admin/account`);
  stumbles.push(...(await look(page, "openid-account")));
  await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await page.waitForURL(at("/admin/sign-in?done=sign-out"));
  stumbles.push(...(await look(page, "openid-signed-out")));
  await page.getByRole("link", { name: "sign out there as well" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(at("/admin/sign-in"));
  // The provider's own pages ask for a font on the Internet, and the form that asks who one is has been refused.
  const noise = page.noise.filter((text) => !/ERR_NAME_NOT_RESOLVED|status of 422/.test(text));
  assert.deepEqual([stumbles, noise], [[], []]);
});

test("signing in works without scripts, and not as somebody who was not invited", long, async () => {
  const page = await browser.phone({ scripts: false });
  await page.goto(`${honnin.base}/admin/decisions`);
  await page.waitForURL(at("/admin/sign-in?next="));
  await page.getByRole("link", { name: "Sign in with Example Login" }).click();
  await signInThere(page, "rei", at("/admin/decisions"));
  assert.equal((await page.context().cookies(honnin.base)).filter(({ name }) => name === "__Host-sign-in").length, 0);

  const stranger = await browser.desktop();
  await stranger.goto(`${honnin.base}/admin/sign-in`);
  await stranger.getByRole("link", { name: "Sign in with Example Login" }).click();
  await signInThere(stranger, "mallory", at("/admin/sign-in/openid/callback"));
  await stranger.getByRole("heading", { name: "You do not have an account" }).waitFor();
  assert.deepEqual(await look(stranger, "openid-stranger"), []);
});

test("what the provider signed for another attempt, client or time, or has answered before, signs nobody in", long, async () => {
  const attempts = [
    ["nonce", "wrong nonce"],
    ["audience", "wrong audience"],
    ["time", "expired or not yet valid"],
    ["code", "the code was refused"],
  ];
  for (const [kind, why] of attempts) {
    provider.tamper = tampering[kind];
    const page = await browser.desktop();
    await page.goto(`${honnin.base}/admin/sign-in`);
    await page.getByRole("link", { name: "Sign in with Example Login" }).click();
    const answered = page.waitForResponse((response) => at("/admin/sign-in/openid/callback")(new URL(response.url())));
    await signInThere(page, "rei", at("/admin/sign-in/openid/callback"));
    await page.getByRole("heading", { name: "You were not signed in" }).waitFor();
    await page.getByText("The response of your identity provider was not accepted.").waitFor();
    assert.equal((await answered).status(), 403, kind);
    assert.deepEqual(await look(page, `openid-refused-${kind}`), []);
    await until(`the log says: ${why}`, () => honnin.log().includes(why));
    await page.goto(`${honnin.base}/admin`);
    await page.waitForURL(at("/admin/sign-in"));
    await page.context().close();
  }
  provider.tamper = tampering.none;
});

test("an answer of the provider signs in once", long, async () => {
  const page = await browser.desktop();
  await page.goto(`${honnin.base}/admin/sign-in`);
  const callback = page.waitForRequest((request) => at("/admin/sign-in/openid/callback")(new URL(request.url())));
  await page.getByRole("link", { name: "Sign in with Example Login" }).click();
  await signInThere(page, "rei", at("/admin"));
  const answer = (await callback).url();
  for (const again of [page, await browser.desktop()]) {
    const { status } = await again.goto(answer).then((response) => ({ status: response.status() }));
    assert.equal(status, 400);
    await again.getByRole("heading", { name: "This sign-in cannot be continued" }).waitFor();
  }
});
