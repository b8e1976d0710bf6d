// The selfie camera: what it says to people who do something else than asked, and what becomes of them.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { scene } from "../lib/scene.mjs";
import { ends, filmingWith, hears, panel } from "../lib/selfie.mjs";
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

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

/** A phone whose camera is on, with somebody before it. */
const filming = (...given) => filmingWith(browser, ...given);

test("an empty chair and a second face are named, another selfie is taken from the last page, and the person is verified", long, async () => {
  const customer = await receiver.customer(honnin, tenant);
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  const announced = page.locator(".stage [role=status]", { hasText: "Move your face into the oval" });
  await persist(page, "what a screen reader is told", async () => (await announced.count()) === 1);
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

test("a wrong turn and a head that does not move begin again, a frozen camera is named, and pictures that come again are suspicious", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "wrongSide");
  await ends(page, "Let’s start again");
  const stumbles = await look(page, "09-selfie-not-asked");
  await behave(page, "unmoved");
  await page.locator(".stage-panel .primary").click();
  await persist(page, "a request", () => page.locator(".stage.left, .stage.right, .stage.near").isVisible());
  stumbles.push(...(await look(page, "09-selfie-asked")));
  await ends(page, "Time is up");
  await behave(page, "frozen");
  await page.locator(".stage-panel .primary").click();
  await ends(page, "The camera picture is frozen");
  stumbles.push(...(await look(page, "09-selfie-frozen")));
  await behave(page, "looped");
  await page.locator(".stage-panel .primary").click();
  await filmed(page, "/capture/submit");
  await page.locator('form[action="/capture/submit"] button.primary').click();
  await customer.event("verification.needs_review");
  const { outcome } = await customer.result();
  assert.ok(outcome.reasons.includes("selfie_injection_suspected"), JSON.stringify(outcome));
  assert.deepEqual(stumbles, []);
  await customer.stop();
});

test("a selfie that another tab has replaced meanwhile is said to be over", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "obedient");
  let isSent = false, send;
  const sending = new Promise((resolve) => { send = resolve; });
  await page.route("**/capture/selfie", async (route) => {
    isSent = true;
    await sending;
    await route.continue();
  });
  await persist(page, "the burst", () => isSent);
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/capture/selfie`);
  await sit(other, "owner", "absent");
  await other.locator(".camera > button").click();
  await hears(other, "Move your face into the oval");
  // Its frames would hold the burst up, and its run would end.
  await other.getByRole("button", { name: "Close the camera" }).click();
  send();
  await panel(page).filter({ hasText: "Take the photo again" }).waitFor();
  const lead = await page.locator(".stage-panel p").innerText();
  assert.equal(lead, "This selfie arrived too late, or the camera was opened in another window. Take it again");
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

test("a face in the light of the screen is approved", long, async (t) => {
  const run = () => inColours("lit", "Continue", "verification.approved", { colorScheme: "dark" });
  // Frames that come too slowly say nothing about the colours, and a person looks, as should be. A machine that stood still for a moment gets another run.
  await run().catch((error) => {
    t.diagnostic(`tried again: ${error.message}`);
    return run();
  });
});

test("a camera that does not follow the screen's colours leads to a person, and so does going without", long, async () => {
  for (const button of ["Continue", "Without colours"]) {
    const { reasons } = await inColours("obedient", button, "verification.needs_review");
    assert.deepEqual(reasons, ["selfie_liveness_uncertain"], button);
  }
});

/** What the server answers to this page's frames from now on. */
function answersOf(page) {
  const answers = [];
  page.on("response", async (response) => {
    if (new URL(response.url()).pathname !== "/capture/selfie/live") return;
    // Its page may be gone by now.
    const answer = await response.json().catch(() => null);
    if (answer?.hint) answers.push(answer);
  });
  return answers;
}

test("the camera speaks Japanese too, and asks for nothing while a mask covers the face", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent", { language: "ja", colorScheme: "dark", viewport: { width: 320, height: 640 } });
  await hears(page, "お顔を楕円の中に入れてください");
  const stumbles = await look(page, "09-selfie-no-face-ja");
  const answers = answersOf(page);
  await behave(page, "masked");
  await hears(page, "お顔全体を見せてください。マスクやサングラスは外してください");
  const covered = () => answers.filter(({ hint }) => hint === "face_covered");
  await persist(page, "an answer about the mask", async () => covered().length > 0);
  assert.deepEqual(covered().filter(({ movement, keep }) => movement || keep !== "no"), []);
  stumbles.push(...(await look(page, "09-selfie-covered-ja")));
  await behave(page, "obedient");
  await filmed(page, "/capture/submit");
  assert.deepEqual(stumbles, []);
  await customer.stop();
});
