// The camera of the document page: what its buttons are called and say, and what becomes of a photo that no page asks for any more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";
import { filmed, persist } from "../lib/sitter.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 600_000 };
let browser, honnin, tenant;

before(async () => {
  await scene();
  honnin = await Honnin.start("camera");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
});

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
  await page.waitForURL((url) => url.pathname === "/capture/check");
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
  await torch.click();
  await page.locator("html[data-torch=false]").waitFor();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
  // It goes out with the camera, and so does its button.
  await torch.click();
  await page.getByRole("button", { name: "Close the camera" }).click();
  await page.getByRole("button", { name: "Open the camera" }).click();
  await appears();
  assert.equal(await torch.getAttribute("aria-pressed"), "false");
});
