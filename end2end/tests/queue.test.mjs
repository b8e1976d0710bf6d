// The open queue: what changes on the server appears by itself, and nobody is disturbed by it. The page's clock is moved, so that nobody waits
// for its five seconds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { until } from "../lib/places.mjs";
import { password, signIn } from "../lib/reviewer.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant, page;

before(async () => {
  honnin = await Honnin.start("queue");
  browser = await Browser.open();
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--sandbox");
  ({ page } = await signIn(browser, honnin, tenant));
  await page.clock.install();
});

/** Milliseconds between two questions of the page. */
const EVERY = 5_000;
let pauses = 0;

/** Opens the queue. From here on the page's time stands still, except when it is moved: the page does not ask by itself. */
async function open() {
  await page.clock.pauseAt(Date.now() + ++pauses * 3_600_000);
  await page.goto(`${honnin.base}/admin/review`);
  // The page plans its next question when it has dealt with the answer to the last one.
  await page.evaluate((every) => {
    const plan = globalThis.setTimeout;
    globalThis.planned = 0;
    globalThis.setTimeout = (act, after, ...given) => {
      if (after === every) globalThis.planned += 1;
      return plan(act, after, ...given);
    };
  }, EVERY);
}

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

/** Lets the page ask, and answers the status of the response, once the page has dealt with it. */
async function asks() {
  const planned = () => page.evaluate(() => globalThis.planned);
  const before = await planned();
  const answered = page.waitForResponse((answer) => answer.url().includes("/admin/review/cases"));
  await page.clock.runFor(EVERY);
  const status = (await answered).status();
  await until("the next question is planned", async () => (await planned()) > before);
  return status;
}

const link = (id) => page.locator(`a[data-case="${id}"]`);
const focus = () => page.evaluate(() => document.activeElement?.getAttribute("href"));

test("cases appear and leave without a reload, and the focus stays where it is", long, async () => {
  await open();
  await page.evaluate(() => (globalThis.loadedOnce = true));
  assert.equal(await page.locator(".count").filter({ visible: true }).count(), 0);
  const first = await arrives();
  assert.equal(await asks(), 200);
  await link(first).waitFor();
  assert.equal(await page.locator("[data-news]").innerText(), "1 new case");
  const backlog = page.locator(".count").filter({ visible: true }).first();
  assert.match(await backlog.innerText(), /^1\b/);
  assert.equal(await asks(), 204, "nothing has changed");

  await link(first).focus();
  const [second, third] = [await arrives(), await arrives()];
  assert.equal(await asks(), 200);
  await link(third).waitFor();
  assert.equal(await focus(), await link(first).getAttribute("href"));
  assert.equal(await page.locator("[data-news]").innerText(), "2 new cases");

  await honnin.api(tenant.apiKey, "POST", `/v1/verification-sessions/${second}/reprocess`);
  assert.equal(await asks(), 200);
  await link(second).waitFor({ state: "detached" });
  assert.equal(await focus(), await link(first).getAttribute("href"));
  await link(third).focus();
  await honnin.api(tenant.apiKey, "POST", `/v1/verification-sessions/${third}/reprocess`);
  assert.equal(await asks(), 200);
  await link(third).waitFor({ state: "detached" });
  assert.equal(await focus(), await link(first).getAttribute("href"), "beside the case that has left");
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
  // axe needs a clock that runs.
  await page.clock.resume();
  assert.deepEqual(await look(page, "queue-live"), []);
});

test("a second new case is announced in the words of the first", long, async () => {
  await open();
  await page.evaluate(() => {
    const news = document.querySelector("[data-news]");
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(news.textContent)).observe(news, { childList: true });
  });
  for (let count = 0; count < 2; count++) {
    const id = await arrives();
    assert.equal(await asks(), 200);
    await link(id).waitFor();
  }
  assert.deepEqual(await page.evaluate(() => globalThis.heard), ["1 new case", "", "1 new case"]);
});

test("an open dialog is left alone, and what it missed follows", long, async () => {
  await open();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  const late = await arrives();
  assert.equal(await asks(), 200);
  assert.equal(await link(late).count(), 0);
  await page.keyboard.press("Escape");
  assert.equal(await asks(), 200);
  await link(late).waitFor();
});

/** Signs in again in another tab, which has the page to sign in. */
async function comesBack(other, email) {
  await other.locator("#email").fill(email);
  await other.locator("#password").fill(password);
  await other.locator('form[action="/admin/sign-in"]').getByRole("button").click();
  await other.waitForURL((url) => url.pathname === "/admin");
}

test("a page whose person has signed out elsewhere says so and stops asking until they are back", long, async () => {
  await open();
  const told = page.locator("[data-signed-out]");
  assert.equal(await told.isVisible(), false);
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/admin`);
  await other.getByRole("button", { name: "Sign out", exact: true }).click();
  await other.waitForURL((url) => url.pathname === "/admin/sign-in");
  await page.clock.runFor(EVERY);
  await told.waitFor();
  let asked = 0;
  page.on("request", () => (asked += 1));
  await page.clock.runFor(120_000);
  assert.equal(asked, 0);
  await comesBack(other, "rei@bank.example");
  // As if they turned to this tab again.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await told.waitFor({ state: "hidden" });
});

test("a case whose person has signed out elsewhere says so until they are back", long, async () => {
  const { page } = await signIn(browser, honnin, tenant, { email: "mei@bank.example", role: "reviewer" });
  const id = await arrives();
  await page.clock.install();
  await page.goto(`${honnin.base}/admin/review/${id}`);
  const out = page.locator("[data-signed-out]");
  const works = async () => {
    await page.keyboard.press("Shift");
    await page.clock.runFor(4 * 60_000);
  };
  const isKept = (answer) => new URL(answer.url()).pathname === `/admin/review/${id}/hold`;
  const [kept] = await Promise.all([page.waitForResponse(isKept), works()]);
  assert.equal(kept.status(), 200);
  assert.equal(await out.isVisible(), false);
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/admin`);
  await other.getByRole("button", { name: "Sign out", exact: true }).click();
  await other.waitForURL((url) => url.pathname === "/admin/sign-in");
  await works();
  await out.waitFor();
  await comesBack(other, "mei@bank.example");
  await works();
  await out.waitFor({ state: "hidden" });
});
