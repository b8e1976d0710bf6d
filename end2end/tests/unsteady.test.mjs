// Lines that break for a moment, and a server or a proxy that is busy for a moment: no page is lost, and nothing of what is on it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, afterEach, before, test } from "node:test";
import { Browser } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { until } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant;

before(async () => {
  await scene();
  // Nothing is analysed until a test starts a worker.
  honnin = await Honnin.start("unsteady", { HONNIN_WORKER_EMBEDDED: "false" });
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** A phone that has opened its link; `prepare` is called before. */
async function opened(prepare = async () => {}) {
  const page = await browser.phone();
  await prepare(page);
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  return { page, walk };
}

/** A phone with a photo to check, which is not analysed yet; `prepare` is called before it is there. */
async function checking(prepare) {
  const { page, walk } = await opened(prepare);
  await walk.consent();
  await walk.choose();
  await walk.photograph();
  await walk.at("/capture/check");
  // A page that is loaded again forgets it.
  await page.evaluate(() => (globalThis.loadedOnce = true));
  return page;
}

/** Answers the first requests with these statuses, or with none where the line breaks, and lets the others through. */
const faults = (...statuses) => (route) => {
  if (statuses.length === 0) return route.continue();
  const status = statuses.shift();
  return status ? route.fulfill({ status, body: "<h1>Bad gateway</h1>" }) : route.abort();
};

test("the page of a photo asks until it is told what was read, and stays", long, async () => {
  const [found, renewed] = [faults(503, null, 429), faults(502, null)];
  const page = await checking(async (page) => {
    await page.route("**/capture/check/found*", found);
    await page.route("**/capture/check", (route) => (route.request().resourceType() === "fetch" ? renewed(route) : route.continue()));
  });
  const worker = spawn(honnin.program, ["worker"], { env: honnin.env, cwd: honnin.data, stdio: "ignore" });
  try {
    await page.locator("[data-live] [role=status] dl").waitFor({ timeout: 600_000 });
  } finally {
    const gone = once(worker, "exit");
    worker.kill("SIGTERM");
    await gone;
  }
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
});

test("a question that the network swallows is given up, and asked again", long, async () => {
  let asked = 0;
  const page = await checking((page) => page.route("**/capture/check/found*", (route) => {
    asked += 1;
    // The first one is never answered.
    return asked > 1 ? route.continue() : undefined;
  }));
  await until("the second question", () => asked > 1);
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
});

test("a photo that the network loses on its way back is asked for again", long, async () => {
  const page = await checking((page) => page.route("**/capture/pictures/*", faults(null, 503)));
  await page.waitForFunction(() => document.querySelector("img.photo").naturalWidth > 0);
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
});

test("the page of a photo gives way to the one that says that it is closed", long, async () => {
  const page = await checking();
  await page.context().clearCookies();
  await page.getByRole("heading", { name: "This page is closed" }).waitFor();
});

test("the page with the details gives way to it as well, unless something was typed", long, async () => {
  for (const types of [false, true]) {
    const page = await checking();
    await new Walk(page).accept();
    const address = page.locator("#address");
    if (types) await address.fill("1 Harbour Street");
    const isOver = (response) => new URL(response.url()).pathname === "/capture/details" && response.status() === 401;
    await Promise.all([page.waitForResponse(isOver), page.context().clearCookies()]);
    if (!types) await page.getByRole("heading", { name: "This page is closed" }).waitFor();
    else assert.equal(await address.inputValue(), "1 Harbour Street");
    await browser.leave();
  }
});

/** The page with the details, with an address typed, and the number of times that its form was sent. */
const typing = async () => {
  const page = await checking();
  await new Walk(page).accept();
  const address = page.locator("#address");
  await address.fill("1 Harbour Street");
  let count = 0;
  await page.route("**/capture/details", (route) => {
    if (route.request().method() === "POST") count += 1;
    return route.continue();
  });
  return { page, address, go: page.locator("main form button.primary"), sent: () => count };
};

test("what was typed stays where the phone is online and its network carries nothing, and is sent once it does", long, async () => {
  const { page, address, go, sent } = await typing();
  await page.route("**/capture/queue", (route) => route.abort());
  await page.evaluate(() => (globalThis.loadedOnce = true));
  await go.click();
  await page.getByText("Your entries are kept on this page.").waitFor();
  assert.equal(await address.inputValue(), "1 Harbour Street");
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
  assert.equal(sent(), 0);
  await page.unroute("**/capture/queue");
  await go.click();
  await page.locator(".error-summary").waitFor();
  assert.equal(await address.inputValue(), "1 Harbour Street");
  assert.equal(sent(), 1);
  // The other buttons of the form keep what they ask for.
  await page.locator(".languages summary").click();
  await page.locator(".languages").getByRole("button", { name: "日本語" }).click();
  await page.locator("html[lang=ja]").waitFor();
  assert.equal(await address.inputValue(), "1 Harbour Street");
});

test("what was typed stays where the server is busy or a proxy finds none, and is sent once it answers", long, async () => {
  const { page, address, go, sent } = await typing();
  await page.route("**/capture/queue", faults(503, 429, 502));
  const told = page.locator("[data-busy]");
  for (let fault = 0; fault < 3; fault += 1) {
    const isAnswered = (response) => new URL(response.url()).pathname === "/capture/queue";
    await Promise.all([page.waitForResponse(isAnswered), go.click()]);
    await told.waitFor();
  }
  assert.match(await told.innerText(), /They are still on this page/);
  assert.equal(await page.locator("[data-offline]").isVisible(), false);
  assert.equal(await address.inputValue(), "1 Harbour Street");
  assert.equal(sent(), 0);
  await go.click();
  await page.locator(".error-summary").waitFor();
  assert.equal(await address.inputValue(), "1 Harbour Street");
  assert.equal(sent(), 1);
});

test("a dialog that is closed is no form on its way, nor is one whose page was come back to", long, async () => {
  const page = await checking();
  const isOnItsWay = () => page.evaluate("isOnItsWay()");
  await page.evaluate(() => document.querySelector("[data-closing-last]").showModal());
  const last = page.locator("[data-closing-last]");
  await last.locator("button").click();
  await last.waitFor({ state: "hidden" });
  assert.equal(await isOnItsWay(), false);
  await page.evaluate(() => document.querySelector("form[data-told]").dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
  assert.equal(await isOnItsWay(), true);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  assert.equal(await isOnItsWay(), false);
});

test("more time that was asked for without a connection is asked for again once there is one", long, async () => {
  const { page } = await opened((page) => page.clock.install());
  const warning = page.locator("[data-closing]");
  await page.clock.runFor(25 * 60_000);
  await warning.waitFor({ state: "visible" });
  await page.context().setOffline(true);
  await warning.locator("button").click();
  await warning.getByText("We could not extend the time. Try again in a moment.").waitFor();
  await page.context().setOffline(false);
  await warning.waitFor({ state: "hidden" });
});

test("a page whose phone has its clock put right by years asks the server whether it is closed", long, async () => {
  const { page } = await opened((page) => page.clock.install());
  await page.evaluate(() => (globalThis.loadedOnce = true));
  await page.clock.setSystemTime(new Date("2060-01-01T00:00:00Z"));
  const isAsked = (request) => request.url().endsWith("/capture/more-time");
  const answered = page.waitForEvent("requestfinished", isAsked);
  let asked = false;
  page.on("request", (request) => { asked ||= isAsked(request); });
  // In steps much shorter than the page waits for the answer.
  for (let minutes = 0; minutes < 26 && !asked; minutes += 0.05) await page.clock.runFor(3_000);
  await answered;
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
  assert.equal(new URL(page.url()).pathname, "/capture/consent");
});

test("more time that a busy server does not give can be asked for again", long, async () => {
  const { page } = await opened((page) => page.clock.install());
  await page.route("**/capture/more-time", faults(503, 429, null));
  await page.evaluate(() => (globalThis.loadedOnce = true));
  const warning = page.locator("[data-closing]");
  await page.clock.runFor(25 * 60_000);
  await warning.waitFor({ state: "visible" });
  const isAsked = (request) => request.url().endsWith("/capture/more-time");
  for (const end of ["requestfinished", "requestfinished", "requestfailed"]) {
    await Promise.all([page.waitForEvent(end, isAsked), warning.locator("button").click()]);
    await warning.getByText("We could not extend the time. Try again in a moment.").waitFor();
  }
  await warning.locator("button").click();
  await warning.waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
});

test("more time that is asked for in vain is said to be, and can be asked for again", long, async () => {
  const { page } = await opened((page) => page.clock.install());
  const warning = page.locator("[data-closing]");
  await page.clock.runFor(25 * 60_000);
  await warning.waitFor({ state: "visible" });
  // Never answered.
  await page.route("**/capture/more-time", () => {});
  await warning.locator("button").click();
  await page.clock.runFor(15_000);
  await warning.getByText("We could not extend the time. Try again in a moment.").waitFor();
  await page.unroute("**/capture/more-time");
  await warning.locator("button").click();
  await warning.waitFor({ state: "hidden" });
});
