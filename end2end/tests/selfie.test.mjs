// The selfie camera: what it says to people who do something else than asked, and what becomes of them.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { picture, scene } from "../lib/scene.mjs";
import { behave, filmed, pass, persist, sit } from "../lib/sitter.mjs";

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

/** A phone at the page with the camera. */
async function atTheCamera(customer, options = {}) {
  const page = await browser.phone(options);
  await page.goto(customer.link);
  const submit = page.locator("main form button[type=submit]").first();
  await submit.click();
  await page.waitForURL((url) => url.pathname === "/capture/consent");
  await page.locator("button[value=accept]").click();
  await page.waitForURL((url) => url.pathname === "/capture/selfie");
  return page;
}

/** A phone whose camera is on, with somebody before it. */
async function filming(customer, does, options = {}) {
  const page = await atTheCamera(customer, options);
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

test("a server too slow for frames is said to be busy, and one that answers nothing to be out of reach", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  // The page waits fifteen seconds for an answer, which pass at once.
  await page.route("**/capture/selfie/live", () => pass(page, 15));
  await ends(page, "We are very busy right now");
  assert.deepEqual(await look(page, "30-selfie-busy"), []);
  await page.route("**/capture/queue", (route) => route.abort());
  await ends(page, "No connection");
  await customer.stop();
});

test("a network that answers everything with a page to sign in to is said to be no connection", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  const signIn = { contentType: "text/html", body: "<!DOCTYPE html><title>Welcome</title><h1>Sign in to this network</h1>" };
  await page.route("**/capture/queue", (route) => route.fulfill(signIn));
  await page.route("**/capture/selfie/live", async (route) => {
    // As above.
    await pass(page, 15);
    await route.fulfill(signIn);
  });
  await ends(page, "No connection");
  await customer.stop();
});

test("a network that is away for a moment is named, and the camera goes on once it is back", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  await page.context().setOffline(true);
  await hears(page, "No connection");
  await page.context().setOffline(false);
  await hears(page, "Move your face into the oval");
  await customer.stop();
});

test("a network that carries nothing is named while the camera films, which goes on once it carries again", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  // Never answered.
  await page.route("**/capture/selfie/live", () => {});
  await hears(page, "No response yet. Wait a moment");
  const announced = page.locator(".stage [role=status]", { hasText: "No response yet" });
  await persist(page, "what a screen reader is told", async () => (await announced.count()) === 1);
  await page.unroute("**/capture/selfie/live");
  await hears(page, "Move your face into the oval");
  await customer.stop();
});

test("the camera gives back the memory of the frames that it has shown to the server", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  await page.evaluate(() => {
    const make = document.createElement.bind(document);
    globalThis.canvases = [];
    document.createElement = (name, ...more) => {
      const made = make(name, ...more);
      if (name === "canvas") globalThis.canvases.push(made);
      return made;
    };
  });
  const made = () => page.evaluate(() => globalThis.canvases.length);
  await persist(page, "some frames", async () => (await made()) >= 12);
  const kept = await page.evaluate(() => globalThis.canvases.filter(({ width }) => width > 0).length);
  // Those of the frame at hand, and of the test's own camera if it was started again.
  assert.ok(kept < 6, `${kept} of ${await made()}`);
  await customer.stop();
});

test("a frame that meets a fault is followed by the next", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  const faults = [500, 520];
  await page.route("**/capture/selfie/live", (route) => {
    const status = faults.shift();
    return status ? route.fulfill({ status, contentType: "text/html", body: "<h1>Fault</h1>" }) : route.continue();
  });
  await persist(page, "both faults", () => faults.length === 0);
  await hears(page, "Move your face into the oval");
  await customer.stop();
});

/** Answers the next frame with this status and a wish for so many seconds without one; answers when each frame was sent from now on. */
async function refuseOnce(page, status, seconds) {
  const sent = [];
  await page.route("**/capture/selfie/live", (route) => {
    sent.push(performance.now());
    if (sent.length > 1) return route.continue();
    return route.fulfill({ status, headers: { "retry-after": String(seconds) }, contentType: "application/json", body: '{"problems":[]}' });
  });
  return sent;
}

for (const status of [429, 503]) test(`a server that answers a frame with ${status} gets the next one no sooner than it asks for`, long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  const sent = await refuseOnce(page, status, 5);
  await hears(page, "We are very busy right now");
  assert.equal(await page.locator(".stage [role=status]", { hasText: "We are very busy right now" }).count(), 1);
  await hears(page, "Move your face into the oval");
  // Timers of a browser and of a test may differ by some milliseconds.
  assert.ok(sent[1] - sent[0] > 4_900, `${sent[1] - sent[0]} ms`);
  await customer.stop();
});

test("a server that wants no frame for longer than a run may stand still ends it, and the page says why", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  const sent = await refuseOnce(page, 503, 60);
  await ends(page, "We are very busy right now");
  assert.equal(sent.length, 1);
  await customer.stop();
});

test("a frame of which the browser makes no picture is followed by the next", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await filming(customer, "absent");
  await hears(page, "Move your face into the oval");
  // As a browser that is short of memory for a moment.
  await page.evaluate(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = (then) => {
      HTMLCanvasElement.prototype.toBlob = toBlob;
      document.documentElement.dataset.missed = "yes";
      then(null);
    };
  });
  await page.locator("html[data-missed=yes]").waitFor();
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/capture/selfie/live");
  await answered;
  assert.equal(await panel(page).count(), 0);
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

test("of two chosen photos the refused one is named, and those for a page that is out of date lead to the page as it is now", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await atTheCamera(customer);
  await page.locator("html[data-islands=awake]").waitFor();
  await page.locator("#plain summary").click();
  const [straight, turned] = ["#straight", "#turned"].map((field) => page.locator(field));
  const send = page.locator("#plain button[type=submit]");
  await straight.setInputFiles(picture("owner-straight"));
  await turned.setInputFiles({ name: "letter.jpg", mimeType: "image/jpeg", buffer: Buffer.from("Dear Sir or Madam") });
  await send.click();
  const said = page.locator(".stage-panel:not([hidden]) p");
  await said.filter({ hasText: /^Photo 2: .* – The file is not a JPEG, PNG or WebP photo$/ }).waitFor();
  await page.getByRole("button", { name: "Choose another photo" }).click();
  await page.waitForFunction(() => document.activeElement.id === "turned");
  // As after another tab has taken a selfie: the page asks for another movement now.
  await page.locator("#plain input[name=challenge]").evaluate((field) => { field.value = "0".repeat(32); });
  await send.click();
  await page.getByText("That page was out of date, so what you did on it was not saved. Continue here.").waitFor();
  assert.equal(new URL(page.url()).pathname, "/capture/selfie");
  await customer.stop();
});

test("a panel higher than the screen can be read from its title to its last button", long, async () => {
  for (const viewport of [{ width: 195, height: 422 }, { width: 640, height: 280 }]) {
    const customer = await receiver.customer(honnin, colourful, "--stay");
    const page = await filming(customer, "absent", { viewport });
    await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); }; });
    const knob = await page.getByRole("button", { name: "Close the camera" }).boundingBox();
    for (const title of ["Your screen will change colour", "Camera access is blocked"]) {
      await panel(page).filter({ hasText: title }).waitFor();
      for (const part of ["h2", "p", ".primary", ".quiet >> nth=0"]) {
        const shown = page.locator(".stage-panel").locator(part);
        await shown.scrollIntoViewIfNeeded();
        const { y, height } = await shown.boundingBox();
        const reached = part === "p" ? y + height > 0 : y >= knob.y + knob.height && Math.floor(y + height) <= viewport.height;
        assert.ok(reached, `${title}: ${part} at ${y} of ${viewport.height}`);
      }
      await page.locator(".stage-panel .primary").click();
    }
    await customer.stop();
  }
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
