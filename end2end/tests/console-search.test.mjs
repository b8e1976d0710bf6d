// The list of sessions: it follows what is typed, and works without scripts by Enter.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look, patientContext } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { signIn } from "../lib/reviewer.mjs";

const long = { timeout: 600_000 };
let browser, honnin, page, ids;

before(async () => {
  honnin = await Honnin.start("search");
  browser = await Browser.open();
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
  ids = [];
  for (const order of ["A-1", "B-2"]) {
    ids.push((await honnin.api(owner.apiKey, "POST", "/v1/verification-sessions", { metadata: { order } })).body.id);
  }
  ({ page } = await signIn(browser, honnin, owner, { email: "sam@bank.example" }));
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

const row = (page, id) => page.locator(`tbody a[href="/admin/sessions/${id}"]`);

test("the list follows what is typed, and the box keeps the focus", long, async () => {
  await page.goto(`${honnin.base}/admin/sessions`);
  assert.equal(await page.locator("tbody tr").count(), 2);
  const box = page.getByRole("searchbox", { name: "Search" });
  await box.pressSequentially("b-2");
  // Whoever types slowly is given the list for each part of it.
  await page.waitForURL((url) => url.search === "?q=b-2");
  await page.locator("[data-said]", { hasText: /^1 session$/ }).waitFor();
  await row(page, ids[0]).waitFor({ state: "detached" });
  await row(page, ids[1]).waitFor();
  assert.ok(await box.evaluate((element) => element === document.activeElement));
  assert.deepEqual(await look(page, "search"), []);
  await page.getByRole("link", { name: "Remove the filter Search: b-2" }).click();
  await page.waitForURL((url) => url.search === "");
  await row(page, ids[0]).waitFor();
  await box.fill(ids[0]);
  await row(page, ids[1]).waitFor({ state: "detached" });
  await row(page, ids[0]).waitFor();
  assert.deepEqual(page.noise, []);
});

test("what was typed before the script was there is searched for, too", long, async () => {
  const early = await page.context().newPage();
  await early.addInitScript(() => new MutationObserver((_, observer) => {
    const box = document.querySelector("#q");
    if (!box) return;
    observer.disconnect();
    box.value = "b-2";
  }).observe(document, { childList: true, subtree: true }));
  await early.goto(`${honnin.base}/admin/sessions`);
  await early.waitForURL((url) => url.search === "?q=b-2");
  await row(early, ids[0]).waitFor({ state: "detached" });
  await row(early, ids[1]).waitFor();
  await early.close();
});

test("what is still being converted into Japanese is not searched for", long, async () => {
  // A clock is that of all pages of a context.
  const context = await patientContext(browser.chromium, { storageState: await page.context().storageState() });
  const typing = await context.newPage();
  await typing.clock.install();
  await typing.clock.pauseAt(Date.now() + 60_000);
  await typing.goto(`${honnin.base}/admin/sessions`);
  const searched = [];
  typing.on("request", (request) => {
    const word = new URL(request.url()).searchParams.get("q");
    if (word !== null) searched.push(word);
  });
  const cdp = await typing.context().newCDPSession(typing);
  const box = typing.getByRole("searchbox", { name: "Search" });
  await box.focus();
  await cdp.send("Input.imeSetComposition", { text: "やまd", selectionStart: 3, selectionEnd: 3 });
  assert.equal(await box.inputValue(), "やまd");
  await typing.clock.runFor(1_000);
  await cdp.send("Input.insertText", { text: "山田" });
  assert.equal(await box.inputValue(), "山田");
  await typing.clock.runFor(1_000);
  await typing.waitForURL((url) => url.searchParams.get("q") === "山田");
  assert.deepEqual(searched, ["山田"]);
  await context.close();
});

test("a browser that cannot combine signals searches as well", long, async () => {
  const old = await page.context().newPage();
  await old.addInitScript(() => { delete AbortSignal.any; });
  await old.goto(`${honnin.base}/admin/sessions`);
  await old.getByRole("searchbox", { name: "Search" }).fill("b-2");
  await old.waitForURL((url) => url.search === "?q=b-2");
  await row(old, ids[0]).waitFor({ state: "detached" });
  await row(old, ids[1]).waitFor();
  await old.close();
});

test("a filter of the address stays while typing, and once replaced it does not come back", long, async () => {
  await page.goto(`${honnin.base}/admin/sessions`);
  const box = page.getByRole("searchbox", { name: "Search" });
  const clear = page.locator('[data-part="clear"]').getByRole("link", { name: "Clear" });
  assert.equal(await clear.count(), 0);
  await box.fill("a-1");
  await clear.waitFor();
  await page.goto(`${honnin.base}/admin/sessions?metadata=B-2`);
  await box.fill("vs_");
  await page.waitForURL((url) => url.searchParams.get("q") === "vs_");
  assert.equal(new URL(page.url()).searchParams.get("metadata"), "B-2");
  await row(page, ids[1]).waitFor();
  assert.equal(await row(page, ids[0]).count(), 0);
  await box.fill("a-1");
  await row(page, ids[0]).waitFor();
  await box.fill("");
  await row(page, ids[1]).waitFor();
  await row(page, ids[0]).waitFor();
  await clear.waitFor({ state: "detached" });
  await page.waitForURL((url) => url.search === "");
  assert.deepEqual(page.noise, []);
});

test("a search that fails is said to have failed, and is tried again", long, async () => {
  await page.goto(`${honnin.base}/admin/sessions`);
  const faults = [(route) => route.fulfill({ status: 503, body: "busy" }), (route) => route.abort()];
  await page.route("**/admin/sessions?q=*", (route) => (faults.shift() ?? ((one) => one.continue()))(route));
  await page.getByRole("searchbox", { name: "Search" }).fill("b-2");
  const failed = page.getByText("The search failed. Trying again…");
  await failed.waitFor();
  assert.deepEqual(await look(page, "search-failed"), []);
  await row(page, ids[0]).waitFor({ state: "detached" });
  await failed.waitFor({ state: "hidden" });
  await row(page, ids[1]).waitFor();
  assert.equal(faults.length, 0);
  await page.unroute("**/admin/sessions?q=*");
  // Chromium notes what did not load.
  assert.equal(page.noise.splice(0).filter((line) => !line.includes("Failed to load resource")).length, 0);
});

test("a search that finds nothing goes on with older sessions by itself, for four pages", long, async () => {
  const far = await page.context().newPage();
  const asked = [];
  await far.route((url) => url.searchParams.get("q") === "far", async (route) => {
    asked.push(new URL(route.request().url()).search);
    const response = await route.fetch();
    // As if there were more sessions than one page looks at.
    const older = `<a data-older href="/admin/sessions?q=far&after=${asked.length}">${asked.length}</a>`;
    await route.fulfill({ response, body: (await response.text()).replace(/<div[^>]*data-part="list"[^>]*>/, (list) => list + older) });
  });
  const expected = ["?q=far", "?q=far&after=1", "?q=far&after=2", "?q=far&after=3"];
  await far.goto(`${honnin.base}/admin/sessions?q=far`);
  await far.waitForURL((url) => url.search === "?q=far&after=3");
  await far.getByRole("link", { name: "4", exact: true }).waitFor();
  assert.deepEqual(asked, expected);
  await far.goto(`${honnin.base}/admin/sessions`);
  asked.length = 0;
  await far.getByRole("searchbox", { name: "Search" }).fill("far");
  await far.waitForURL((url) => url.search === "?q=far&after=3");
  await far.getByRole("link", { name: "4", exact: true }).waitFor();
  assert.deepEqual(asked, expected);
  await far.close();
});

test("without scripts, Enter searches", long, async () => {
  const context = await patientContext(browser.chromium, { storageState: await page.context().storageState(), javaScriptEnabled: false });
  const still = await context.newPage();
  await still.goto(`${honnin.base}/admin/sessions`);
  await still.getByRole("searchbox", { name: "Search" }).fill("A-1");
  await still.keyboard.press("Enter");
  await still.waitForURL((url) => url.searchParams.get("q") === "A-1");
  assert.equal(await still.locator("tbody tr").count(), 1);
  await row(still, ids[0]).waitFor();
  await context.close();
});
