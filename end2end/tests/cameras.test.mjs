// A phone with several cameras: the document can be photographed with another one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
let honnin, tenant;

before(async () => {
  await scene();
  honnin = await Honnin.start("cameras");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
});

after(() => honnin?.stop());

/** A page with the document camera open, in a browser with so many cameras; each wish that the page has had is kept. */
async function withCameras(test, count, facing) {
  const browser = await Browser.open({ cameras: count });
  test.after(() => browser.close());
  const page = await browser.phone();
  await page.addInitScript((facing) => {
    globalThis.wishes = [];
    const { mediaDevices } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (wish) => {
      globalThis.wishes.push(wish.video);
      const stream = await ask(wish);
      if (facing) {
        const [track] = stream.getVideoTracks();
        const settings = track.getSettings.bind(track);
        track.getSettings = () => ({ ...settings(), facingMode: wish.video.facingMode.ideal });
      }
      return stream;
    };
  }, facing);
  const { verificationUrl } = (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body;
  const walk = new Walk(page);
  await walk.start(verificationUrl);
  await walk.consent();
  await walk.choose();
  // A face is no document: the shutter is not released.
  browser.show("owner");
  await page.locator("html[data-islands=awake]").waitFor();
  await page.locator(".camera > button").click();
  await page.locator("dialog.live").waitFor();
  return page;
}

const device = (page) => page.locator("dialog video").evaluate((video) => video.srcObject.getVideoTracks()[0].getSettings().deviceId);

test("with two cameras a tap shows the other one, and another tap the first", long, async (test) => {
  const page = await withCameras(test, 2);
  const turn = page.getByRole("button", { name: "Switch camera" });
  await turn.waitFor();
  assert.deepEqual(await look(page, "camera-switch"), []);
  const { width, height } = await turn.boundingBox();
  assert.ok(width >= 44 && height >= 44);
  const first = await device(page);
  const shown = async (other) => page.waitForFunction(
    ([id, same]) => {
      const video = document.querySelector("dialog.live video");
      const now = video?.srcObject?.getVideoTracks()[0]?.getSettings().deviceId;
      return now && video.videoWidth > 0 && (now === id) === same;
    },
    [first, !other],
  );
  await turn.click();
  await shown(true);
  await turn.click();
  await shown(false);
  assert.deepEqual(page.noise, []);
});

test("a phone whose cameras say how they face turns from the back to the front", long, async (test) => {
  const page = await withCameras(test, 3, true);
  const turn = page.getByRole("button", { name: "Switch camera" });
  for (const _ of [1, 2]) {
    await turn.waitFor();
    const before = await page.evaluate(() => globalThis.wishes.length);
    await turn.click();
    await page.waitForFunction((before) => globalThis.wishes.length > before, before);
    await page.locator("dialog.live").waitFor();
  }
  const wishes = await page.evaluate(() => globalThis.wishes.map((wish) => wish.facingMode?.ideal));
  assert.deepEqual(wishes, ["environment", "user", "environment"]);
});

test("with one camera there is nothing to switch to", long, async (test) => {
  const page = await withCameras(test, 1);
  await page.locator(".shutter:not([hidden])").waitFor();
  assert.equal(await page.getByRole("button", { name: "Switch camera" }).isVisible(), false);
});
