// The selfie camera on lines that break, with frames that are lost, and in small windows: nobody's selfie is judged, so other files may run beside this one.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { picture, scene } from "../lib/scene.mjs";
import { atTheCamera, ends, filmingWith, hears, panel } from "../lib/selfie.mjs";
import { pass, persist } from "../lib/sitter.mjs";

const long = { timeout: 1_800_000 };
let browser, honnin, receiver, tenant, colourful;

before(async () => {
  await scene();
  receiver = await Receiver.make();
  honnin = await Honnin.start("selfie-lines", receiver.settings);
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

test("of two chosen photos the refused one is named, and those for a page that is out of date lead to the page as it is now", long, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await atTheCamera(browser, customer);
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
