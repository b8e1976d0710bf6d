// The camera of the document page: what its buttons are called and say, and what becomes of a photo that no page asks for any more.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST, until } from "../lib/places.mjs";
import { picture, scene } from "../lib/scene.mjs";
import { filmed, persist, shutter } from "../lib/sitter.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 600_000 };
let browser, honnin, tenant;

before(async () => {
  await scene();
  // Nothing is analysed: no test here waits for what is on a photo.
  honnin = await Honnin.start("camera", { HONNIN_WORKER_EMBEDDED: "false" });
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** A phone at the page with the camera for a passport. */
async function atTheCamera(page) {
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  await walk.choose();
  await page.locator("html[data-islands=awake]").waitFor();
  return walk;
}

test("what a node of another version does not have is asked for again", long, async () => {
  const page = await browser.phone();
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  const missing = new Set();
  await page.route("**/pkg/**", (route) => {
    const { pathname } = new URL(route.request().url());
    if (missing.has(pathname)) return route.continue();
    missing.add(pathname);
    return route.fulfill({ status: 404, headers: { "cache-control": "no-store" } });
  });
  await walk.choose();
  await page.locator("html[data-islands=awake]").waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("[rel=stylesheet]")].every((link) => link.sheet?.cssRules.length));
  assert.deepEqual([...missing].map((path) => path.split(".").pop()).sort(), ["css", "js", "wasm"]);
  browser.show("passport");
  await page.getByRole("button", { name: "Open the camera" }).click();
  await filmed(page, "/capture/check");
});

test("a photo of a kind that another tab has replaced is not taken", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/capture/document-type`);
  await other.locator("input[value=driving_license]").check();
  await other.locator("main form button").first().click();
  await other.waitForURL((url) => url.pathname === "/capture/document");
  browser.show("passport");
  await page.getByRole("button", { name: "Open the camera" }).click();
  // The page of the step that is due: the same one, which asks for a licence now.
  const licence = page.locator("input[name=documentType][value=driving_license]");
  await persist(page, "the page that asks for a licence", async () => (await licence.count().catch(() => 0)) > 0);
  assert.equal(new URL(page.url()).pathname, "/capture/document");
});

test("a photo is sent in fewer bytes where the network is known to be slow", long, async () => {
  const sent = async (megabits) => {
    const page = await browser.phone();
    // Only Chromium tells, and of the machine's own network.
    await page.addInitScript((downlink) => Object.defineProperty(navigator, "connection", { value: { downlink } }), megabits);
    await atTheCamera(page);
    const isUpload = (request) => request.method() === "POST" && new URL(request.url()).pathname === "/capture/pictures";
    const upload = page.waitForRequest(isUpload, { timeout: LONGEST });
    browser.show("passport");
    await page.getByRole("button", { name: "Open the camera" }).click();
    const [request] = await Promise.all([upload, filmed(page, "/capture/check")]);
    const { requestBodySize: bytes } = await request.sizes();
    await page.context().close();
    return bytes;
  };
  const [fast, slow] = [await sent(10), await sent(0.4)];
  assert.ok(slow < 0.75 * fast, `${slow} bytes instead of ${fast}`);
});

test("the torch's button tells whether it is on", long, async () => {
  const page = await browser.phone();
  // Chromium's camera has no torch.
  await page.addInitScript(() => {
    MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true });
    MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [{ torch }] }) => { document.documentElement.dataset.torch = torch; };
  });
  await atTheCamera(page);
  // A face is not a document: the shutter is not released automatically.
  browser.show("owner");
  await page.getByRole("button", { name: "Open the camera" }).click();
  await page.getByRole("dialog", { name: "Camera", exact: true }).waitFor();
  const torch = page.getByRole("button", { name: "Torch", exact: true });
  const looks = () => torch.evaluate((button) => getComputedStyle(button).backgroundColor);
  const appears = () => persist(page, "the torch", () => torch.isVisible());
  await appears();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
  const dark = await looks();
  await torch.click();
  await page.locator("html[data-torch=true]").waitFor();
  assert.equal(await torch.getAttribute("aria-pressed"), "true");
  assert.notEqual(await looks(), dark);
  assert.deepEqual(await look(page, "04-camera-torch"), []);
  // Also where the system replaces colours by its own.
  await page.emulateMedia({ forcedColors: "active" });
  assert.equal(await torch.evaluate((button) => getComputedStyle(button).forcedColorAdjust), "none");
  await page.emulateMedia({ forcedColors: null });
  await torch.click();
  await page.locator("html[data-torch=false]").waitFor();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
  // It goes out with the camera, and so does its button.
  await torch.click();
  await page.getByRole("button", { name: "Close the camera" }).click();
  await page.getByRole("button", { name: "Open the camera" }).click();
  await appears();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
  // As long as one page has the camera, all others see the same film in it.
  await page.close();
});

const openCamera = (page) => page.getByRole("button", { name: "Open the camera" }).click();

test("a torch that the phone refuses to switch on is not said to be on", long, async () => {
  const page = await browser.phone();
  await page.addInitScript(() => {
    MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true });
    // As on a phone that is hot, or whose battery is low.
    MediaStreamTrack.prototype.applyConstraints = async () => {
      document.documentElement.dataset.torch = "refused";
      throw new DOMException("no", "UnknownError");
    };
  });
  await atTheCamera(page);
  browser.show("owner");
  await openCamera(page);
  const torch = page.getByRole("button", { name: "Torch", exact: true });
  await persist(page, "the torch", () => torch.isVisible());
  await torch.click();
  await page.locator("html[data-torch=refused]").waitFor();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
});

/** From now on the page is `hidden`, or `visible` again. */
const become = (page, state) => page.evaluate((value) => {
  Object.defineProperty(document, "visibilityState", { value, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}, state);

/** A phone on the camera's page that counts the locks that keep its screen on: a machine without a screen may refuse them. */
async function withScreen() {
  const page = await browser.phone();
  await page.addInitScript(() => {
    const held = new Set();
    const told = () => { document.documentElement.dataset.kept = held.size; };
    // As browsers do: no lock outlasts the moment in which nobody sees the page, and none is given then.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "hidden") return;
      held.clear();
      told();
    });
    const request = async (kind) => {
      if (document.visibilityState === "hidden") throw new DOMException("hidden", "NotAllowedError");
      const lock = { kind, release: async () => { held.delete(lock); told(); } };
      held.add(lock);
      told();
      return lock;
    };
    Object.defineProperty(navigator, "wakeLock", { value: { request } });
  });
  await atTheCamera(page);
  return { page, keeps: (locks) => page.locator(`html[data-kept="${locks}"]`).waitFor() };
}

test("the screen stays on while the camera films", long, async () => {
  browser.show("owner");
  const { page, keeps } = await withScreen();
  await openCamera(page);
  await keeps(1);
  await page.getByRole("button", { name: "Close the camera" }).click();
  await keeps(0);
});

test("the screen stays on while a photo is sent", long, async () => {
  browser.show("passport");
  const { page, keeps } = await withScreen();
  let begun = false;
  await page.route("**/capture/pictures", () => { begun = true; });
  await openCamera(page);
  await persist(page, "an upload", () => begun);
  await keeps(1);
  await page.getByRole("button", { name: "Close the camera" }).click();
  await keeps(0);
});

test("the screen stays on again once a page that sends a photo is seen again", long, async () => {
  browser.show("passport");
  const { page, keeps } = await withScreen();
  let begun = false;
  await page.route("**/capture/pictures", () => { begun = true; });
  await openCamera(page);
  await persist(page, "an upload", () => begun);
  await keeps(1);
  await become(page, "hidden");
  await keeps(0);
  await become(page, "visible");
  await keeps(1);
  await page.getByRole("button", { name: "Close the camera" }).click();
  await keeps(0);
  // Nothing is sent any more.
  await become(page, "hidden");
  await become(page, "visible");
  await page.evaluate(() => navigator.wakeLock.request("screen"));
  await keeps(1);
});

const panel = (page) => page.locator(".stage-panel:not([hidden])");

test("a photo outlasts faults of the server and of a proxy, and is sent again", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  const ours = "Something went wrong on our side. Your photos are saved here and will be sent again.";
  const slow = "Your connection is slow. Your photos are saved here and will be sent again.";
  // No two in a row say the same: a sentence that is there says that its answer has arrived, and not only left.
  const faults = [[500, ours], [408, slow], [520, ours], [429, "We are very busy right now. Your photos are saved here and will be sent again in a few minutes."]];
  let answered = 0;
  await page.route("**/capture/pictures", (route) => {
    const [status] = faults[answered] ?? [];
    answered += 1;
    // Longer than the test looks at the panel.
    return status ? route.fulfill({ status, headers: { "retry-after": "120" }, contentType: "text/html", body: "<h1>Fault</h1>" }) : route.continue();
  });
  browser.show("passport");
  await openCamera(page);
  await persist(page, "the first answer", () => answered > 0);
  for (const [number, [, sentence]] of faults.entries()) {
    await until(`answer ${number}`, () => answered > number);
    await panel(page).locator("p", { hasText: sentence }).waitFor();
    await page.getByRole("button", { name: "Send now" }).click();
  }
  await filmed(page, "/capture/check");
});

test("a photo of the phone's camera app outlasts faults as well, and stays in its form", long, async () => {
  const page = await browser.phone();
  const walk = await atTheCamera(page);
  let answered = 0;
  await page.route("**/capture/pictures", (route) => {
    answered += 1;
    if (answered > 2) return route.continue();
    return route.fulfill({ status: 503, headers: { "retry-after": "120" }, contentType: "text/html", body: "<h1>Fault</h1>" });
  });
  await page.evaluate(() => (globalThis.loadedOnce = true));
  await walk.photograph();
  await panel(page).locator("h2", { hasText: "Not sent yet" }).waitFor();
  // Meanwhile the photo is shown, not the black of a camera that is off.
  await page.waitForFunction(() => document.querySelector(".still:not([hidden])")?.naturalWidth > 0);
  assert.equal(await page.locator(".view").isVisible(), false);
  await page.getByRole("button", { name: "Send now" }).click();
  await until("the second answer", () => answered > 1);
  await panel(page).locator("h2", { hasText: "Not sent yet" }).waitFor();
  await panel(page).getByRole("button", { name: "Choose another photo" }).click();
  assert.equal(await page.locator("#plain input[type=file]").evaluate((field) => field.files.length), 1);
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
  await page.locator("#plain button[type=submit]").click();
  await walk.at("/capture/check");
});

test("a network that carries nothing is named while a photo is sent, until something answers again", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  let begun = false;
  // Neither is ever answered.
  await page.route("**/capture/pictures", () => { begun = true; });
  await page.route("**/capture/queue", () => {});
  browser.show("passport");
  await openCamera(page);
  await persist(page, "an upload", () => begun);
  await page.locator(".stage-hint", { hasText: "No response yet. Wait a moment" }).waitFor();
  // Not in the colour of success.
  assert.equal(await page.locator(".stage.well").count(), 0);
  await page.unroute("**/capture/queue");
  await page.locator(".stage-hint", { hasText: "Sending" }).waitFor();
  await page.getByRole("button", { name: "Close the camera" }).click();
});

/** Counts the uploads from now on. */
async function countUploads(page) {
  let sent = 0;
  await page.route("**/capture/pictures", (route) => {
    sent += 1;
    return route.continue();
  });
  return () => sent;
}

test("a chosen photo that is too large is refused before it is sent", long, async () => {
  const page = await browser.phone();
  const walk = await atTheCamera(page);
  const sent = await countUploads(page);
  const buffer = Buffer.concat([readFileSync(picture("passport")), Buffer.alloc(10 * 1024 * 1024)]);
  await walk.unfold("plain");
  await page.locator("#plain input[type=file]").setInputFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer });
  await page.locator("#plain button[type=submit]").click();
  const sentence = "The photo must be smaller than 10 MB. Set the camera to 12 megapixels and take it again";
  await panel(page).locator("p", { hasText: sentence }).waitFor();
  assert.equal(sent(), 0);
  await panel(page).getByRole("button", { name: "Choose another photo" }).click();
  await walk.photograph();
  await walk.at("/capture/check");
  assert.equal(sent(), 1);
});

test("a chosen file that the server refuses is uploaded once, and another one can be chosen", long, async () => {
  const page = await browser.phone();
  const walk = await atTheCamera(page);
  const sent = await countUploads(page);
  await page.evaluate(() => (globalThis.loadedOnce = true));
  await walk.photograph({ name: "letter.jpg", mimeType: "image/jpeg", buffer: Buffer.from("Dear Sir or Madam") });
  await panel(page).locator("p", { hasText: "The file is not a JPEG, PNG or WebP photo" }).waitFor();
  await panel(page).getByRole("button", { name: "Choose another photo" }).click();
  await page.waitForFunction(() => document.activeElement.matches("#plain input[type=file]"));
  assert.equal(sent(), 1);
  assert.equal(await page.evaluate(() => globalThis.loadedOnce), true);
  await walk.photograph();
  await walk.at("/capture/check");
  assert.equal(sent(), 2);
});

test("a phone that ended the page while its camera app was open is told so, and may send a photo that is there already", long, async () => {
  const page = await browser.phone();
  // Nothing tells a page that it is ended. Listeners of the window are called in their order, so this one has to be the first.
  await page.addInitScript(() => addEventListener("pagehide", (event) => { if (globalThis.isEnded) event.stopImmediatePropagation(); }));
  const walk = await atTheCamera(page);
  const field = page.locator("#plain input[type=file]");
  const lost = page.getByText("Your phone closed this page while its camera app was open");
  const openApp = async () => {
    await walk.unfold("plain");
    await Promise.all([page.waitForEvent("filechooser"), field.click()]);
  };
  // Whoever loads the page again has lost nothing.
  await openApp();
  await page.reload();
  await page.locator("html[data-islands=awake]").waitFor();
  assert.equal(await lost.isVisible(), false);
  assert.equal(await field.getAttribute("capture"), "environment");
  await openApp();
  await page.evaluate(() => { globalThis.isEnded = true; });
  await page.reload();
  await lost.waitFor();
  assert.equal(await field.getAttribute("capture"), null);
  await page.locator("html[data-islands=awake]").waitFor();
  // "Choose it here", the page says.
  assert.equal(await field.isVisible(), true);
  await walk.photograph();
  await walk.at("/capture/check");
});

test("a chosen photo that is deleted before it is sent is not taken for a lost connection", long, async () => {
  const page = await browser.phone();
  const walk = await atTheCamera(page);
  const folder = mkdtempSync(join(tmpdir(), "honnin-photo-"));
  const photo = join(folder, "photo.jpg");
  copyFileSync(picture("passport"), photo);
  await walk.unfold("plain");
  await page.locator("#plain input[type=file]").setInputFiles(photo);
  rmSync(folder, { recursive: true });
  await page.locator("#plain button[type=submit]").click();
  await panel(page).locator("p", { hasText: "The photo you chose can no longer be read." }).waitFor();
  assert.equal(await panel(page).locator("h2").innerText(), "Not sent yet");
  await panel(page).getByRole("button", { name: "Choose another photo" }).click();
  await walk.photograph();
  await walk.at("/capture/check");
});

for (const [status, title] of [[413, "Request Entity Too Large"], [403, "Forbidden"], [200, "Sign in to this network"]]) {
  test(`a photo that a proxy answers with a page and ${status} is kept, and the page says whom to tell`, long, async () => {
    const page = await browser.phone();
    await atTheCamera(page);
    let answered = false;
    await page.route("**/capture/pictures", (route) => {
      answered = true;
      return route.fulfill({ status, contentType: "text/html", body: `<h1>${title}</h1>` });
    });
    browser.show("passport");
    await openCamera(page);
    await persist(page, "the answer", () => answered);
    await panel(page).waitFor();
    assert.equal(await panel(page).locator("h2").innerText(), "Not sent yet");
    assert.equal(await panel(page).locator("p").innerText(), "We cannot receive photos at the moment. Tell the company that sent you the link.");
  });
}

test("closing the camera stops the photo that is being sent", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  const isUpload = (request) => request.method() === "POST" && new URL(request.url()).pathname === "/capture/pictures";
  let begun = false;
  // Never answered.
  await page.route("**/capture/pictures", () => { begun = true; });
  browser.show("passport");
  await openCamera(page);
  await persist(page, "an upload", () => begun);
  await Promise.all([
    page.waitForEvent("requestfailed", isUpload),
    page.getByRole("button", { name: "Close the camera" }).click(),
  ]);
  assert.equal(new URL(page.url()).pathname, "/capture/document");
  await page.goto(`${honnin.base}/capture`);
  assert.equal(new URL(page.url()).pathname, "/capture/document");
});

/** Lets the test answer when the camera is asked for: `asked` holds a stream and a function for each. */
const answerLater = (page) => page.evaluate(() => {
  globalThis.asked = [];
  navigator.mediaDevices.getUserMedia = () => new Promise((resolve) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
    const context = canvas.getContext("2d");
    setInterval(() => {
      context.fillStyle = `hsl(0 60% ${40 + 20 * Math.random()}%)`;
      context.fillRect(0, 0, 640, 480);
    }, 50);
    const stream = canvas.captureStream(20);
    globalThis.asked.push({ stream, answer: () => resolve(stream) });
  });
});
const isAsked = (page, times) => page.waitForFunction((n) => globalThis.asked.length === n, times);
const answer = (page, which) => page.evaluate((at) => globalThis.asked[at].answer(), which);
const isOn = (page, which) => page.evaluate((at) => globalThis.asked[at].stream.getTracks()[0].readyState === "live", which);
const isOff = (page, which) => page.waitForFunction((at) => globalThis.asked[at].stream.getTracks()[0].readyState === "ended", which);

/** A page whose camera, which `asked` holds, is on. */
async function filming() {
  const page = await browser.phone();
  await atTheCamera(page);
  await answerLater(page);
  await openCamera(page);
  await isAsked(page, 1);
  await answer(page, 0);
  await page.waitForFunction(() => document.querySelector(".stage.live"));
  return page;
}

for (const order of [[0, 1], [1, 0]]) {
  test(`of two cameras that were asked for the second one stays, when the browser gives number ${order[0] + 1} first`, long, async () => {
    const page = await browser.phone();
    await atTheCamera(page);
    await answerLater(page);
    await openCamera(page);
    await isAsked(page, 1);
    await page.getByRole("button", { name: "Close the camera" }).click();
    await openCamera(page);
    await isAsked(page, 2);
    for (const which of order) await answer(page, which);
    await isOff(page, 0);
    await page.waitForFunction(() => document.querySelector("video").videoWidth > 0 && document.querySelector(".stage.live"));
    assert.equal(await isOn(page, 1), true);
    assert.equal(await panel(page).count(), 0);
  });
}

test("a camera that opens while nobody sees the page does not film", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await answerLater(page);
  await openCamera(page);
  await isAsked(page, 1);
  await become(page, "hidden");
  await answer(page, 0);
  await panel(page).locator("h2", { hasText: "The camera has paused" }).waitFor();
  assert.equal(await isOn(page, 0), false);
});

/** The page waits fifteen seconds for the browser's answer, a hundredth as long here. */
const hurry = (page) => page.evaluate(() => {
  const later = setTimeout;
  window.setTimeout = (then, ms) => later(then, ms === 15_000 ? 150 : ms);
});
const unanswered = (page) => panel(page).locator("h2", { hasText: "The camera has not started yet" });

test("whoever leaves the browser's question unanswered is told what to do, and a late answer opens the camera", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await answerLater(page);
  await hurry(page);
  await openCamera(page);
  await isAsked(page, 1);
  await unanswered(page).waitFor();
  assert.equal(
    await panel(page).locator("p").innerText(),
    "If your browser asks for the camera, choose Allow. If you see no question, close other apps that use the camera, then try again.",
  );
  assert.equal(await panel(page).locator(".primary").innerText(), "Try again");
  assert.equal(await panel(page).getByRole("link", { name: "Continue on another phone or browser" }).isVisible(), true);
  assert.deepEqual(await look(page, "04-camera-unanswered"), []);
  await answer(page, 0);
  await panel(page).waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.querySelector(".stage.live"));
  assert.equal(await isOn(page, 0), true);
});

test("a camera that never answers leads to the choice of a photo, and is not left on if it answers after that", long, async () => {
  const page = await browser.phone();
  const walk = await atTheCamera(page);
  await answerLater(page);
  await hurry(page);
  await openCamera(page);
  await isAsked(page, 1);
  await unanswered(page).waitFor();
  // Asked again, it answers no more than before.
  await panel(page).getByRole("button", { name: "Try again" }).click();
  await isAsked(page, 2);
  await unanswered(page).waitFor();
  await panel(page).getByRole("button", { name: "Upload a photo instead" }).click();
  await page.waitForFunction(() => document.activeElement.matches("#plain input[type=file]"));
  for (const which of [0, 1]) {
    await answer(page, which);
    await isOff(page, which);
  }
  await walk.photograph();
  await walk.at("/capture/check");
});

test("a browser that never lists its cameras still films with the one that it has opened", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await page.evaluate(() => { navigator.mediaDevices.enumerateDevices = () => new Promise(() => {}); });
  browser.show("passport");
  await openCamera(page);
  await filmed(page, "/capture/check");
});

test("a browser that plays nothing without a tap is not said to block the camera", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await answerLater(page);
  await page.evaluate(() => {
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = async () => {
      HTMLMediaElement.prototype.play = play;
      throw new DOMException("no", "NotAllowedError");
    };
  });
  await openCamera(page);
  await isAsked(page, 1);
  await answer(page, 0);
  await panel(page).locator("h2", { hasText: "The camera has paused" }).waitFor();
  assert.equal(await isOn(page, 0), false);
  await panel(page).getByRole("button", { name: "Continue" }).click();
  await isAsked(page, 2);
  await answer(page, 1);
  await page.waitForFunction(() => document.querySelector(".stage.live"));
});

test("a wide picture stands in the middle of an upright phone, and fills one that is turned on its side meanwhile", long, async () => {
  const page = await filming();
  const inTheMiddle = (wanted) => page.waitForFunction((is) => document.querySelector(".stage").matches(".boxed") === is, wanted);
  await inTheMiddle(true);
  await page.setViewportSize({ width: 844, height: 390 });
  await inTheMiddle(false);
  await page.setViewportSize({ width: 390, height: 844 });
  await inTheMiddle(true);
});

/**
 * Holds back picture number `which` that the page makes from now on, counted from 1, as a slow phone does. `release` gives it to the page, and is done
 * once the page has it.
 */
const holdPicture = (page, which) => page.evaluate((which) => {
  const { toBlob } = HTMLCanvasElement.prototype;
  let made = 0;
  HTMLCanvasElement.prototype.toBlob = function (then, ...how) {
    made += 1;
    if (made !== which) return toBlob.call(this, then, ...how);
    globalThis.release = () => new Promise((done) => {
      toBlob.call(this, (picture) => {
        then(picture);
        done();
      }, ...how);
    });
    document.documentElement.dataset.held = "yes";
  };
}, which);

test("a camera that is opened again while the picture of the one before is still being made stays on", long, async () => {
  const page = await browser.phone();
  // The photo is made once, in the best quality. What follows is the picture that stays on the screen.
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { downlink: 10 } }));
  await atTheCamera(page);
  await holdPicture(page, 2);
  browser.show("passport");
  await openCamera(page);
  await persist(page, "the picture that stays", () => page.evaluate(() => document.documentElement.dataset.held === "yes"));
  await page.getByRole("button", { name: "Close the camera" }).click();
  await answerLater(page);
  await openCamera(page);
  await isAsked(page, 1);
  await answer(page, 0);
  await page.waitForFunction(() => document.querySelector(".stage.live"));
  await page.evaluate(() => globalThis.release());
  assert.equal(await isOn(page, 0), true);
  assert.equal(await panel(page).count(), 0);
});

test("a second tap on the shutter sends nothing earlier than the server asks for", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  let answered = 0;
  await page.route("**/capture/pictures", (route) => {
    answered += 1;
    // Longer than the test looks at the panel.
    return route.fulfill({ status: 503, headers: { "retry-after": "120" }, contentType: "text/html", body: "<h1>Fault</h1>" });
  });
  await holdPicture(page, 1);
  // A face is not a document: the shutter is not released automatically.
  browser.show("owner");
  await openCamera(page);
  const button = await shutter(page);
  await button.click();
  await page.locator("html[data-held=yes]").waitFor();
  await button.click();
  await page.evaluate(() => globalThis.release());
  await panel(page).locator("h2", { hasText: "Not sent yet" }).waitFor();
  assert.equal(answered, 1);
});

test("closing the camera turns it off", long, async () => {
  const page = await filming();
  await page.getByRole("button", { name: "Close the camera" }).click();
  await isOff(page, 0);
  assert.equal(await page.evaluate(() => document.querySelector("video").srcObject), null);
});

// As browsers say that the system has taken the camera away, and that it keeps it from the page.
for (const event of ["ended", "mute"]) test(`a camera that delivers nothing any more (${event}) is said to have paused`, long, async () => {
  const page = await filming();
  await page.evaluate((event) => {
    const [track] = globalThis.asked[0].stream.getTracks();
    Object.defineProperty(track, "muted", { value: event === "mute" });
    track.dispatchEvent(new Event(event));
  }, event);
  await panel(page).locator("h2", { hasText: "The camera has paused" }).waitFor();
  assert.equal(await isOn(page, 0), false);
});

test("a camera that was taken away before it showed anything is said to have paused as well", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await answerLater(page);
  await openCamera(page);
  await isAsked(page, 1);
  // No event says so any more.
  await page.evaluate(() => {
    [globalThis.taken] = globalThis.asked[0].stream.getTracks();
    Object.defineProperty(globalThis.taken, "muted", { value: true });
  });
  await answer(page, 0);
  await panel(page).locator("h2", { hasText: "The camera has paused" }).waitFor();
  assert.equal(await isOn(page, 0), false);
});

test("a camera that the system keeps from the page is said to be in use", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await page.evaluate(() => {
    // The page waits ten seconds for a picture, a tenth as long here.
    const later = setTimeout;
    window.setTimeout = (then, ms) => later(then, ms / 10);
    navigator.mediaDevices.getUserMedia = async () => {
      const stream = document.createElement("canvas").captureStream(0);
      [globalThis.kept] = stream.getTracks();
      Object.defineProperty(globalThis.kept, "muted", { value: true });
      return stream;
    };
  });
  await openCamera(page);
  await panel(page).locator("h2", { hasText: "The camera is in use" }).waitFor();
});

test("the focus goes to what is in the camera's way, stays on the stage after another try, and comes back in the end", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); }; });
  const focused = (selector) => page.waitForFunction((wanted) => document.activeElement.matches(wanted), selector);
  await page.getByRole("button", { name: "Open the camera" }).press("Enter");
  await panel(page).waitFor();
  await focused(".stage-panel h2");
  await page.keyboard.press("Tab");
  await focused(".stage-panel .primary");
  await answerLater(page);
  await page.keyboard.press("Enter");
  await isAsked(page, 1);
  await panel(page).waitFor({ state: "hidden" });
  await focused("[role=group][aria-label=Camera]");
  await page.keyboard.press("Tab");
  await focused("[aria-label='Close the camera']");
  await page.keyboard.press("Enter");
  await focused(".camera > button");
});

test("while a slow network brings the camera, the page says that it is getting ready", long, async () => {
  const page = await browser.phone();
  let bring;
  const held = new Promise((brought) => { bring = brought; });
  await page.route("**/*.wasm", async (route) => { await held; await route.continue(); });
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  await walk.choose();
  await page.getByText("Getting the camera ready").waitFor();
  assert.equal(await page.locator("#plain summary").isVisible(), true);
  bring();
  await page.locator("html[data-islands=awake]").waitFor();
  assert.equal(await page.locator(".preparing").isVisible(), false);
  assert.equal(await page.locator(".camera").isVisible(), true);
});

for (const missing of ["WebAssembly", "HTMLDialogElement"]) {
  test(`where the browser lacks ${missing}, the page does not speak of the camera`, long, async () => {
    const page = await browser.phone();
    await page.addInitScript((name) => { delete globalThis[name]; }, missing);
    const walk = new Walk(page);
    await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
    await walk.consent();
    await walk.choose();
    await page.locator("html[data-islands=asleep]").waitFor();
    assert.equal(await page.locator(".camera").isVisible(), false);
    assert.equal(await page.locator(".preparing").isVisible(), false);
    assert.equal(await page.locator(".plain .scripted").isVisible(), false);
    assert.equal(await page.locator(".plain .unscripted").isVisible(), true);
    assert.equal(await page.locator("#plain input[type=file]").isVisible(), true);
  });
}

test("a browser that cannot compile the browser's half is not asked again, and the page does not speak of the camera", long, async () => {
  const page = await browser.phone();
  // A module of a version that no browser knows.
  const body = Buffer.from([0, 0x61, 0x73, 0x6d, 9, 0, 0, 0]);
  await page.route("**/*.wasm*", (route) => route.fulfill({ contentType: "application/wasm", body }));
  // Each time it is asked for at another address.
  let again = 0;
  page.on("request", (request) => { if (request.url().endsWith(".js?")) again += 1; });
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  await walk.choose();
  await page.locator("html[data-islands=asleep]").waitFor();
  assert.equal(again, 0);
  assert.equal(await page.locator(".preparing").isVisible(), false);
  assert.equal(await page.locator("#plain input[type=file]").isVisible(), true);
});

/** What a network answers to whatever is asked for, until somebody has signed in to it. */
const signIn = { contentType: "text/html", body: "<!DOCTYPE html><title>Welcome</title><h1>Sign in to this network</h1>" };

test("a page of the network in the place of the browser's half is not taken for it, which is asked for again", long, async () => {
  const page = await browser.phone();
  let signedIn = false, asked = 0;
  // The page's own request and that of its preload may be one.
  await page.route("**/*.wasm*", (route) => {
    asked += 1;
    if (route.request().url().endsWith("?")) signedIn = true;
    return signedIn ? route.continue() : route.fulfill(signIn);
  });
  await atTheCamera(page);
  assert.ok(asked > 1);
  browser.show("passport");
  await openCamera(page);
  await filmed(page, "/capture/check");
});

test("whoever signs in to the network later has the camera as soon as the connection is there, and until then the plain form", long, async () => {
  const page = await browser.phone();
  await page.route("**/*.wasm*", (route) => route.fulfill(signIn));
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  await walk.choose();
  await page.locator("html[data-islands=asleep]").waitFor();
  assert.equal(await page.locator("#plain input[type=file]").isVisible(), true);
  assert.equal(await page.locator(".camera").isVisible(), false);
  await page.unroute("**/*.wasm*");
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  await page.locator("html[data-islands=awake]").waitFor();
  assert.equal(await page.locator(".camera").isVisible(), true);
});

test("the page itself hides dialogs that are not open, which a browser without dialogs does not", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  // Undoes what a browser that knows dialogs does by itself. No inline style: the page's policy forbids those.
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("dialog { display: block; }");
    document.adoptedStyleSheets = [sheet];
  });
  for (const dialog of [".stage", "[data-closing]", "[data-closing-last]"]) assert.equal(await page.locator(dialog).isVisible(), false, dialog);
});

const inApps = {
  "Android": "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36",
  "an iPhone": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "an iPhone that half names Safari": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/15.12.1",
};
for (const [where, userAgent] of Object.entries(inApps)) {
  test(`an app on ${where} that refuses the camera leads to a browser`, long, async () => {
    const page = await browser.phone({ userAgent });
    const walk = new Walk(page, {
      seen: async (step) => {
        if (step === "00-start") await page.getByRole("heading", { name: "This app may not be able to open the camera" }).waitFor();
      },
    });
    await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
    await walk.consent();
    await walk.choose();
    await page.locator("html[data-islands=awake]").waitFor();
    await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); }; });
    await openCamera(page);
    await panel(page).waitFor();
    assert.equal(await panel(page).locator("h2").innerText(), "This app cannot open the camera");
    assert.equal(await panel(page).locator(".primary").innerText(), "Try again");
    assert.equal(await panel(page).getByRole("link", { name: "Continue on another phone or browser" }).isVisible(), true);
    // The page offers to send a photo, which need not be taken now.
    assert.equal(await panel(page).locator("button.quiet").innerText(), "Upload a photo instead");
    assert.equal(await page.locator("#plain input[type=file]").getAttribute("capture"), null);
  });
}

test("whoever closes the browser's question for the camera is told to answer it", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  // In Chrome's words.
  await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("Permission dismissed", "NotAllowedError"); }; });
  await openCamera(page);
  await panel(page).locator("h2", { hasText: "Camera access is not allowed yet" }).waitFor();
  assert.equal(await panel(page).locator("p").innerText(), "Try again, and choose Allow when your browser asks.");
  assert.equal(await panel(page).locator(".primary").innerText(), "Try again");
});

test("where the system keeps the camera from the browser, the page leads to the settings of the device", long, async () => {
  const page = await browser.phone();
  await atTheCamera(page);
  // In Chrome's words.
  await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("Permission denied by system", "NotAllowedError"); }; });
  await openCamera(page);
  await panel(page).locator("h2", { hasText: "Camera access is blocked" }).waitFor();
  assert.equal(
    await panel(page).locator("p").innerText(),
    "Your device does not let this browser use the camera. Open the settings of your device and allow the camera for the browser. Then try again.",
  );
  assert.equal(await panel(page).locator(".primary").innerText(), "Try again");
  assert.equal(await panel(page).getByRole("link", { name: "Continue on another phone or browser" }).isVisible(), true);
});

const safari = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15";
for (const [where, open, lead, other] of [
  ["a computer", () => browser.desktop(), "Click the icon beside the address and allow the camera. Then try again.", "Upload a photo instead"],
  [
    "a Mac", () => browser.desktop({ userAgent: safari }),
    "In the Safari menu, open the settings for this website and set Camera to Allow. Then try again.", "Upload a photo instead",
  ],
  ...["FxiOS/127.0", "EdgiOS/126.0.2592.56 Version/17.0"].map((name) => [
    `an iPhone with ${name}`,
    () => browser.phone({ userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${name} Mobile/15E148 Safari/605.1.15` }),
    "Allow the camera for this page in your browser’s settings. Then try again.", "Use the phone’s camera app instead",
  ]),
  [
    "an iPad, which says that it is a Mac", () => browser.phone({ userAgent: safari }),
    "Tap “AA” or the page icon beside the address, then Website Settings, Camera, Allow. Then try again.", "Use the phone’s camera app instead",
  ],
]) {
  test(`how to allow the camera is said for ${where}`, long, async () => {
    const page = await open();
    await atTheCamera(page);
    await page.evaluate(() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); }; });
    await openCamera(page);
    await panel(page).waitFor();
    assert.equal(await panel(page).locator("p").innerText(), lead);
    assert.equal(await panel(page).locator("button.quiet").innerText(), other);
    assert.equal(await page.locator("#plain input[type=file]").getAttribute("capture"), "environment");
  });
}
