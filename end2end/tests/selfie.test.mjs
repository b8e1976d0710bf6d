// The selfie camera: what it says to people who do something else than asked, and what becomes of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { scene } from "../lib/scene.mjs";
import { behave, filmed, persist, sit } from "../lib/sitter.mjs";

const long = { timeout: 1_800_000 };
let browser, honnin, receiver, tenant, colourful;

before(async () => {
  await scene();
  receiver = await Receiver.make();
  honnin = await Honnin.start("selfie", receiver.settings);
  tenant = await honnin.tenant("Harbour Bank", "--steps", "selfie", "--webhook", receiver.url);
  colourful = await honnin.tenant("Harbour Bank", "--steps", "selfie", "--webhook", receiver.url, "--flashes");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

/** A phone whose camera is on, with somebody before it. */
async function filming(customer, does, options = {}) {
  const page = await browser.phone(options);
  await page.goto(customer.link);
  const submit = page.locator("main form button[type=submit]").first();
  await submit.click();
  await page.waitForURL((url) => url.pathname === "/capture/consent");
  await page.locator("button[value=accept]").click();
  await page.waitForURL((url) => url.pathname === "/capture/selfie");
  await sit(page, "owner", does);
  await page.locator(".camera > button").click();
  return page;
}

const hears = (page, sentence) => persist(page, sentence, () => page.locator(".stage-hint", { hasText: sentence }).isVisible());
const panel = (page) => page.locator(".stage-panel:not([hidden]) h2");
/** Waits until the run of the camera ends with this title. */
const ends = (page, title) => persist(page, title, () => panel(page).filter({ hasText: title }).isVisible());

test("an empty chair and a second face are named, another selfie is taken from the last page, and the person is verified", long, async () => {
  const customer = await receiver.customer(honnin, tenant);
  const page = await filming(customer, "absent");
  await hears(page, "Bring your face into the oval");
  const stumbles = await look(page, "09-selfie-no-face");
  await behave(page, "joined");
  await hears(page, "Only you should be in the picture");
  stumbles.push(...(await look(page, "09-selfie-two-faces")));
  await behave(page, "obedient");
  await filmed(page, "/capture/submit");
  stumbles.push(...(await look(page, "10-submit-selfie")));
  await page.getByRole("button", { name: "Change: Your face" }).click();
  await page.waitForURL((url) => url.pathname === "/capture/selfie");
  await sit(page, "owner", "obedient");
  await page.locator(".camera > button").click();
  await filmed(page, "/capture/submit");
  await page.locator('form[action="/capture/submit"] button.primary').click();
  await customer.event("verification.approved");
  const { outcome } = await customer.result();
  assert.ok(outcome.checks.selfie.livenessConfidence > 0.6, JSON.stringify(outcome));
  await customer.ended;
  assert.deepEqual(stumbles, []);
  assert.deepEqual(page.noise, []);
});

test("a head that turns to the wrong side, and one that does not move, must begin again", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "wrongSide");
  await ends(page, "Let's start again");
  const stumbles = await look(page, "09-selfie-not-asked");
  await behave(page, "frozen");
  await page.locator(".stage-panel .primary").click();
  await persist(page, "a request", () => page.locator(".stage.left, .stage.right, .stage.near").isVisible());
  stumbles.push(...(await look(page, "09-selfie-asked")));
  await ends(page, "Time is up");
  await behave(page, "obedient");
  await page.locator(".stage-panel .primary").click();
  await filmed(page, "/capture/submit");
  assert.deepEqual(stumbles, []);
  await customer.stop();
});

test("a server too slow for frames is said to be busy, and one that answers nothing to be out of reach", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await page.route("**/capture/selfie/live", () => {});
  await ends(page, "We are very busy right now");
  assert.deepEqual(await look(page, "30-selfie-busy"), []);
  await page.route("**/capture/queue", (route) => route.abort());
  await ends(page, "No connection");
  await customer.stop();
});

/** Opens the camera for a tenant that asks for colours, and uses this button of their announcement; answers the page, and what axe found on it. */
async function announced(customer, does, button, options = {}) {
  const page = await filming(customer, does, options);
  assert.equal(await panel(page).innerText(), "Your screen will change colour");
  const stumbles = await look(page, `09-selfie-announced-${options.colorScheme ?? "light"}`);
  await page.locator(".stage-panel button", { hasText: button }).click();
  return { page, stumbles };
}

/** Takes a selfie for a tenant that asks for colours, after this button of the announcement; answers the outcome. */
async function inColours(does, button, expected, options = {}) {
  const customer = await receiver.customer(honnin, colourful, "--stay");
  const { page, stumbles } = await announced(customer, does, button, options);
  await filmed(page, "/capture/submit");
  await page.locator('form[action="/capture/submit"] button.primary').click();
  await customer.event(expected);
  const { outcome } = await customer.result();
  await customer.stop();
  assert.deepEqual(stumbles, []);
  assert.deepEqual(page.noise, []);
  return outcome;
}

test("the page whose colour changes can be read, by day and by night", long, async () => {
  // The screenshot and axe hold up the camera's frames, so the outcome of these runs is not judged.
  for (const colorScheme of ["light", "dark"]) {
    const customer = await receiver.customer(honnin, colourful, "--stay");
    const { page, stumbles } = await announced(customer, "lit", "Continue", { colorScheme });
    // The page stays: after the selfie it goes on by itself.
    await page.route("**/capture/selfie", () => {});
    await hears(page, "Keep looking at the screen");
    stumbles.push(...(await look(page, `09-selfie-colours-${colorScheme}`)));
    assert.deepEqual(stumbles, []);
    await customer.stop();
  }
});

test("a face in the light of the screen is approved", long, async () => {
  await inColours("lit", "Continue", "verification.approved", { colorScheme: "dark" });
});

test("a camera that does not follow the screen's colours leads to a person, and so does going without", long, async () => {
  for (const button of ["Continue", "Without colours"]) {
    const { reasons } = await inColours("obedient", button, "verification.needs_review");
    assert.deepEqual(reasons, ["selfie_liveness_uncertain"], button);
  }
});

test("the camera speaks Japanese too", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent", { language: "ja", colorScheme: "dark", viewport: { width: 320, height: 640 } });
  await hears(page, "お顔を楕円の中に入れてください");
  assert.deepEqual(await look(page, "09-selfie-no-face-ja"), []);
  await customer.stop();
});
