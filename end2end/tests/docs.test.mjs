// The reference of the API as an integrator uses it: requests are sent from the page, and without scripts there are commands.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { beyond } from "../lib/targets.mjs";

const long = { timeout: 900_000 };
let browser, honnin, sandbox, live;

before(async () => {
  honnin = await Honnin.start("docs");
  browser = await Browser.open();
  sandbox = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--sandbox");
  live = await honnin.tenant("Lighthouse Bank", "--steps", "document,selfie");
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** Opens an operation's form. */
async function opened(page, method, path) {
  const part = page.locator(`details.try:has([data-try="${method}"][data-path="${path}"])`);
  await part.locator("summary").click();
  return part;
}

test("an integrator takes a session through its life from the page", long, async () => {
  const page = await browser.desktop();
  const sent = [];
  page.on("request", (request) => sent.push(new URL(request.url())));
  await page.goto(`${honnin.base}/docs`);
  const key = page.getByLabel("Key of a sandbox tenant");
  const first = await opened(page, "POST", "/v1/verification-sessions");
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByRole("status").filter({ hasText: "Enter the key of a sandbox tenant" }).waitFor();
  await key.fill(live.apiKey);
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByRole("status").filter({ hasText: "Enter the key of a sandbox tenant" }).waitFor();
  assert.equal(sent.filter(({ pathname }) => pathname.startsWith("/v1/")).length, 0, "a live key does not leave the page");

  await key.fill(sandbox.apiKey);
  // As it stands: what a newcomer sends first must be accepted by a new tenant.
  const example = await first.getByLabel("Body").inputValue();
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByRole("status").filter({ hasText: /^201 Created in \d+ ms$/ }).waitFor();
  await first.getByLabel("Body").fill(example.replace("Mustermann", "<b>Tanaka</b>"));
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByRole("status").filter({ hasText: "Waiting" }).waitFor({ state: "hidden" });
  await first.getByRole("status").filter({ hasText: /^201 Created in \d+ ms$/ }).waitFor();
  const answer = await first.getByLabel("Response").textContent();
  assert.match(answer, /x-request-id: req_[0-9a-f]{32}\ncontent-type: application\/json/);
  const [id] = answer.match(/vs_[0-9a-f]{32}/);

  const complete = await opened(page, "POST", "/v1/sandbox/verification-sessions/{id}/complete");
  assert.equal(await complete.getByLabel("id").inputValue(), id, "the next operation is about the session just created");
  await complete.getByRole("button", { name: "Send" }).click();
  await complete.getByLabel("Response").filter({ hasText: '"status": "completed"' }).waitFor();
  const read = await opened(page, "GET", "/v1/verification-sessions/{id}");
  await read.getByRole("button", { name: "Send" }).click();
  await read.getByLabel("Response").filter({ hasText: '"lastName": "<b>Tanaka</b>"' }).waitFor();
  assert.equal(await read.locator("b").count(), 0, "as text, not as markup");

  const list = await opened(page, "GET", "/v1/verification-sessions");
  await list.getByLabel("metadata").fill("order=4711");
  await list.getByRole("button", { name: "Send" }).click();
  await list.getByLabel("Response").filter({ hasText: id }).waitFor();
  await read.getByLabel("id").fill("vs_nothing/../x");
  await read.getByRole("button", { name: "Send" }).click();
  await read.getByRole("status").filter({ hasText: /^404 / }).waitFor();

  const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
  assert.deepEqual(kept, [0, 0, ""]);
  for (const { origin } of sent) assert.equal(origin, honnin.base);
  assert.deepEqual(await look(page, "docs-try-it"), []);
  await page.reload();
  assert.equal(await key.inputValue(), "", "the key is forgotten");
  assert.deepEqual(page.noise.filter((text) => !text.includes("404")), []);
});

test("the page sends no key of a live tenant", long, async () => {
  const page = await browser.desktop();
  await page.goto(`${honnin.base}/docs`);
  const sent = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.getByLabel("Key of a sandbox tenant").fill(live.apiKey);
  const list = await opened(page, "GET", "/v1/verification-sessions");
  await list.getByRole("button", { name: "Send" }).click();
  await list.getByRole("status").filter({ hasText: "key of a sandbox tenant" }).waitFor();
  assert.deepEqual(sent.filter((url) => url.includes("/v1/")), []);
});

test("a browser that cannot count the parameters of a query sends them as well", long, async () => {
  const page = await browser.desktop();
  await page.addInitScript(() => { delete URLSearchParams.prototype.size; });
  await page.goto(`${honnin.base}/docs`);
  await page.getByLabel("Key of a sandbox tenant").fill(sandbox.apiKey);
  const list = await opened(page, "GET", "/v1/verification-sessions");
  await list.getByLabel("metadata").fill("order=4711");
  const isSent = (request) => new URL(request.url()).pathname === "/v1/verification-sessions";
  const [request] = await Promise.all([page.waitForRequest(isSent), list.getByRole("button", { name: "Send" }).click()]);
  assert.equal(new URL(request.url()).searchParams.get("metadata[order]"), "4711");
});

test("without scripts there are commands and no dead forms, also on a phone", long, async () => {
  const page = await browser.phone({ scripts: false });
  await page.goto(`${honnin.base}/docs`);
  assert.equal(await page.getByLabel("Key of a sandbox tenant").isVisible(), false);
  const summary = page.locator("details.try summary").first();
  await summary.click();
  const part = page.locator("details.try").first();
  await part.getByText("curl -X POST").waitFor();
  assert.equal(await part.getByRole("button", { name: "Send" }).isVisible(), false);
  const phone = await browser.phone();
  await phone.goto(`${honnin.base}/docs`);
  await (await opened(phone, "POST", "/v1/sandbox/verification-sessions/{id}/advance")).getByLabel("Body").waitFor();
  assert.deepEqual(await look(phone, "docs-try-it-phone"), []);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
});

test("a small screen scrolls the diagram, names the columns of tables, and has the pages at the end", long, async () => {
  const page = await browser.phone();
  await page.goto(`${honnin.base}/docs`);
  const letters = await page.evaluate(() => document.querySelector(".diagram text").getBoundingClientRect().height);
  assert.ok(letters >= 12, `${letters} px`);
  const cell = page.locator("#document_blurry td").nth(2);
  assert.equal(await cell.evaluate((cell) => getComputedStyle(cell, "::before").content), '"What the user saw: "');
  await page.getByRole("link", { name: "All pages" }).click();
  await page.getByRole("link", { name: "Going live" }).click();
  assert.equal(await page.locator("main input, main :text('[ ]')").count(), 0, "tasks are drawn");
});

test("the documentation can be read on a phone and on a desk, in light and dark", long, async () => {
  const page = await browser.desktop();
  // Colours change at once.
  await page.emulateMedia({ reducedMotion: "reduce" });
  const wrong = [];
  const guides = ["tutorial", "going-live", "operations", "backup", "limits", "monitoring"].map((name) => `/docs/${name}`);
  for (const path of ["/docs", ...guides, "/docs/search?q=webhook"]) {
    await page.goto(honnin.base + path);
    // In the dark only colours differ, and a wide window shows all of them.
    for (const [width, colorScheme] of [[390, "light"], [1280, "light"], [1280, "dark"]]) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      wrong.push(...(await look(page, `docs${path.slice(5).replaceAll(/\W/g, "-")}-${width}-${colorScheme}`)));
      const over = await beyond(page);
      if (over > 0) wrong.push(`${path} at ${width}: ${over} px stand out of the window`);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
  assert.deepEqual(wrong, []);
});
