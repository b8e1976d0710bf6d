// The photo to be checked is enlarged where fingers ask for it: two taps, two fingers, or the tick, which needs neither scripts nor fingers. Its page
// goes on when there is nothing left to check.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST, until } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant;

before(async () => {
  await scene();
  honnin = await Honnin.start("check-zoom");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** A phone with a photo to check; `prepare` is called before it is there. */
async function checking(options, prepare = async () => {}) {
  const page = await browser.phone(options);
  await prepare(page);
  const walk = new Walk(page);
  await walk.start((await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl);
  await walk.consent();
  await walk.choose();
  await walk.photograph();
  await walk.at("/capture/check");
  return page;
}

const photo = (page) => page.locator("img.photo").boundingBox();

/** How many times as wide as its frame the photo is. */
async function scale(page) {
  const frame = await page.locator(".snap-frame").boundingBox();
  return (await photo(page)).width / frame.width;
}

/** Where a point of the photo is in the window; the point is given in shares of its width and height. */
async function place(page, [across, down]) {
  const { x, y, width, height } = await photo(page);
  return [x + across * width, y + down * height];
}

function close(found, wanted, within, what) {
  found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) <= within, `${what}: ${found}, not ${wanted}`));
}

test("the photo is loaded for the screen, and in full once it is enlarged", long, async () => {
  const page = await checking();
  await page.locator("dl.read").waitFor({ timeout: LONGEST });
  const loaded = () => page.locator("img.photo").evaluate(async (image) => {
    await image.decode();
    return [image.naturalWidth, new URL(image.currentSrc).searchParams.get("view")];
  });
  assert.deepEqual(await loaded(), [1000, "screen"]);
  await page.locator("label.zoom").click();
  const [width, view] = await loaded();
  assert.equal(view, null);
  assert.ok(width > 1000, `${width}`);
});

test("two taps and two fingers enlarge the photo where they touch it, and one finger moves it", long, async () => {
  const page = await checking();
  // The page is not renewed any more.
  await page.locator("dl.read").waitFor({ timeout: LONGEST });
  const chromium = await page.context().newCDPSession(page);
  const touch = (type, places, timestamp) =>
    chromium.send("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })), timestamp });
  // Two taps are one gesture only if they follow each other soon: the touches of both bear the same time, however long they take here.
  const tapTwice = async (at) => {
    const now = Date.now() / 1_000;
    for (const places of [[at], [], [at], []]) await touch(places.length > 0 ? "touchStart" : "touchEnd", places, now);
  };
  const spot = [0.7, 0.4];
  const tapped = await place(page, spot);
  await tapTwice(tapped);
  close([await scale(page)], [2.6], 0.02, "scale after two taps");
  close(await place(page, spot), tapped, 3, "what was tapped");
  assert.equal(await page.locator("#zoom").isChecked(), true);

  // Two fingers move apart, the middle between them stays.
  const fingers = (half) => [[tapped[0] - half, tapped[1]], [tapped[0] + half, tapped[1]]];
  await touch("touchStart", fingers(40));
  for (const half of [45, 50, 55, 60]) await touch("touchMove", fingers(half));
  await touch("touchEnd", []);
  close([await scale(page)], [2.6 * 1.5], 0.05, "scale after two fingers");
  close(await place(page, spot), tapped, 3, "what was between the fingers");
  assert.equal(await page.evaluate(() => visualViewport.scale), 1, "the page itself is as large as before");

  const scrolled = () => page.locator(".snap-frame").evaluate((frame) => frame.scrollLeft);
  const before = await scrolled();
  await touch("touchStart", [tapped]);
  for (const by of [20, 40, 60, 80]) await touch("touchMove", [[tapped[0] + by, tapped[1]]]);
  await touch("touchEnd", []);
  await until("the photo moved", async () => before - (await scrolled()) > 30);

  await tapTwice(tapped);
  close([await scale(page)], [1], 0.01, "scale after two more taps");
  assert.equal(await page.locator("#zoom").isChecked(), false);

  // By the keyboard, about the middle of the frame. The tick keeps its name, which is what is seen of it: its state says the rest.
  const tick = page.getByRole("checkbox", { name: "Look closer", exact: true });
  assert.equal(await tick.isChecked(), false);
  await tick.focus();
  await page.keyboard.press("Space");
  assert.equal(await tick.isChecked(), true);
  assert.equal(await page.locator("label.zoom").innerText(), "Look closer");
  close([await scale(page)], [2.6], 0.02, "scale after the tick");
  const [x] = await place(page, [0.5, 0.5]);
  const frame = await page.locator(".snap-frame").boundingBox();
  close([x], [frame.x + frame.width / 2], 3, "the middle");
  assert.deepEqual(page.noise, []);
});

test("a page whose photo another tab has used goes on", long, async () => {
  // The page asks what was found, and hears of it only once the photo is used.
  let used;
  const waits = new Promise((resolve) => { used = resolve; });
  const page = await checking({}, (page) =>
    page.route("**/capture/check/found*", async (route) => { await waits; await route.continue(); }));
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/capture/check`);
  await other.locator("button[value=use]").click();
  await other.waitForURL((url) => url.pathname === "/capture/details");
  used();
  await page.waitForURL((url) => url.pathname === "/capture/details");
});

test("without scripts the tick enlarges the photo", long, async () => {
  const page = await checking({ scripts: false });
  close([await scale(page)], [1], 0.01, "scale");
  await page.locator("label.zoom").click();
  close([await scale(page)], [2.6], 0.02, "scale after the tick");
});
