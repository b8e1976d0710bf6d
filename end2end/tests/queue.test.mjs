// The open queue: what changes on the server appears by itself, and nobody is disturbed by it. The page's clock is moved, so that nobody waits
// for its five seconds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { signIn } from "../lib/reviewer.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant, page;

before(async () => {
  honnin = await Honnin.start("queue");
  browser = await Browser.open();
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--sandbox");
  ({ page } = await signIn(browser, honnin, tenant));
  await page.clock.install();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** Another session that a person has to decide. */
async function arrives() {
  const call = async (path, body) => (await honnin.api(tenant.apiKey, "POST", path, body)).body;
  const { id } = await call("/v1/verification-sessions", {});
  await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
  return id;
}

/** Lets the page ask, and answers the status of the response. Its clock goes on meanwhile, so it may have asked by itself just before. */
async function asks() {
  const answered = page.waitForResponse((answer) => answer.url().includes("/admin/review/cases"));
  await page.clock.runFor(5_000);
  return (await answered).status();
}

/** Waits for what the page says of what it has seen come. */
const news = (words) => page.locator("[data-news]", { hasText: words }).waitFor();

const link = (id) => page.locator(`a[data-case="${id}"]`);
const focus = () => page.evaluate(() => document.activeElement?.getAttribute("href"));

test("cases appear and leave without a reload, and the focus stays where it is", long, async () => {
  await page.goto(`${honnin.base}/admin/review`);
  await page.evaluate(() => (globalThis.loadedOnce = true));
  assert.equal(await page.locator(".count").filter({ visible: true }).count(), 0);
  const first = await arrives();
  await asks();
  await link(first).waitFor();
  await news(/^1 new case$/);
  const backlog = page.locator(".count").filter({ visible: true }).first();
  assert.match(await backlog.innerText(), /^1\b/);
  await asks();
  assert.equal(await asks(), 204, "nothing has changed");

  await link(first).focus();
  const [second, third] = [await arrives(), await arrives()];
  await asks();
  await link(second).waitFor();
  await link(third).waitFor();
  assert.equal(await focus(), await link(first).getAttribute("href"));
  await news(/^[12] new cases?$/);
  assert.deepEqual(await look(page, "queue-live"), []);

  await honnin.api(tenant.apiKey, "POST", `/v1/verification-sessions/${second}/reprocess`);
  await asks();
  await link(second).waitFor({ state: "detached" });
  assert.equal(await focus(), await link(first).getAttribute("href"));
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
});

test("an open dialog is left alone, and what it missed follows", long, async () => {
  await page.goto(`${honnin.base}/admin/review`);
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  const late = await arrives();
  await asks();
  assert.equal(await link(late).count(), 0);
  await page.keyboard.press("Escape");
  await asks();
  await link(late).waitFor();
});

test("a page whose person has signed out elsewhere says so and stops asking", long, async () => {
  await page.goto(`${honnin.base}/admin/review`);
  const told = page.locator("[data-signed-out]");
  assert.equal(await told.isVisible(), false);
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/admin`);
  await other.getByRole("button", { name: "Sign out", exact: true }).click();
  await other.waitForURL((url) => url.pathname === "/admin/sign-in");
  await page.clock.runFor(5_000);
  await told.waitFor();
  let asked = 0;
  page.on("request", () => (asked += 1));
  await page.clock.runFor(120_000);
  assert.equal(asked, 0);
});
