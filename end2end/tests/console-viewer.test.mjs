// The pictures of a case: every way of looking closer, with a mouse, with two fingers, and with the keyboard alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser, look, patientContext } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { until } from "../lib/places.mjs";
import { allPicturesAreShown, signIn } from "../lib/reviewer.mjs";
import { scene } from "../lib/scene.mjs";

const long = { timeout: 900_000 };
let browser, honnin, page, address;

before(async () => {
  await scene();
  honnin = await Honnin.start("viewer");
  const tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--accept-specimens");
  browser = await Browser.open();
  const { id, verificationUrl } = (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body;
  const applicant = new Applicant(browser, await browser.phone({ scripts: false }), { camera: false });
  await applicant.goThrough(verificationUrl, { "Family name": "Ericsson" });
  ({ page } = await signIn(browser, honnin, tenant, { email: "vera@bank.example", role: "reviewer" }));
  address = `${honnin.base}/admin/review/${id}`;
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

const picture = (page) => page.locator(".shot.chosen .shot-frame > img");

/** Where the chosen picture is, how it is turned, how large and how bright it is. */
async function seen(page) {
  const { transform, filter } = await picture(page).evaluate(({ style: { transform, filter } }) => ({ transform, filter }));
  const [x, y, turn, scale] = transform.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
  return { x, y, turn, scale, filter };
}

/** The chosen picture's frame, whose middle is where the picture is moved from. */
async function frame(page) {
  const { x, y, width, height } = await page.locator(".shot.chosen .shot-frame").evaluate((frame) => {
    const box = frame.getBoundingClientRect();
    return { x: box.x, y: box.y, width: frame.clientWidth, height: frame.clientHeight };
  });
  const border = 2;
  return { width, height, middle: { x: x + border + width / 2, y: y + border + height / 2 } };
}

const near = (found, wanted, what, within = 1.5) => assert.ok(Math.abs(found - wanted) <= within, `${what}: ${found} instead of ${wanted}`);

/** The case from the beginning, its pictures in the window. */
async function open(page) {
  await page.goto(address);
  await allPicturesAreShown(page);
  await page.locator(".shot.chosen .shot-frame").scrollIntoViewIfNeeded();
}

test("the wheel looks closer at what is under the pointer, and a drag moves it", long, async () => {
  await open(page);
  const { width, height, middle } = await frame(page);
  const at = { x: -width / 4, y: -height / 4 };
  await page.mouse.move(middle.x + at.x, middle.y + at.y);
  await page.mouse.wheel(0, -400);
  await until("the wheel turned", async () => (await seen(page)).scale > 2);
  const close = await seen(page);
  near(close.scale, Math.E, "scale", 0.01);
  near(close.x, at.x * (1 - Math.E), "what is under the pointer stays");
  near(close.y, at.y * (1 - Math.E), "what is under the pointer stays");
  await page.mouse.down();
  await page.mouse.move(middle.x + at.x + 40, middle.y + at.y - 30, { steps: 4 });
  await page.mouse.up();
  const moved = await seen(page);
  near(moved.x - close.x, 40, "moved to the right");
  near(moved.y - close.y, -30, "moved up");
  assert.equal(moved.scale, close.scale, "a drag is no click");
  // No further than its edge.
  await page.mouse.down();
  await page.mouse.move(middle.x + at.x + width, middle.y + at.y + height, { steps: 4 });
  await page.mouse.move(middle.x + at.x + 3 * width, middle.y + at.y + 3 * height, { steps: 4 });
  await page.mouse.up();
  near((await seen(page)).x, (width * (Math.E - 1)) / 2, "the left edge");
  await page.mouse.click(middle.x, middle.y);
  assert.deepEqual(await seen(page), { x: 0, y: 0, turn: 0, scale: 1, filter: "" });
  await page.mouse.click(middle.x + at.x, middle.y + at.y);
  near((await seen(page)).x, at.x * (1 - 2.6), "a click looks closer at its place");
  const still = await seen(page);
  await page.mouse.move(middle.x + width / 2 - 3, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + width / 2 + 30, middle.y);
  await page.mouse.up();
  await page.mouse.move(middle.x, middle.y, { steps: 5 });
  assert.deepEqual(await seen(page), still, "a mouse that was let go outside holds nothing");
});

test("two fingers look closer, and times are told in the time zone at hand", long, async () => {
  const context = await patientContext(browser.chromium, {
    storageState: await page.context().storageState(), viewport: { width: 1024, height: 768 }, hasTouch: true, timezoneId: "Asia/Tokyo", locale: "en-GB",
  });
  const tablet = await context.newPage();
  await open(tablet);
  const { middle } = await frame(tablet);
  const cdp = await context.newCDPSession(tablet);
  const touch = (type, apart) => {
    const touchPoints = apart === undefined ? [] : [-apart, apart].map((dx, id) => ({ x: middle.x + dx, y: middle.y, id }));
    return cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  await touch("touchStart", 50);
  for (const apart of [70, 90, 110, 130, 150]) await touch("touchMove", apart);
  await touch("touchEnd");
  const pinched = await seen(tablet);
  assert.ok(pinched.scale > 2.4 && pinched.scale < 3.2, `three times as far apart: ${pinched.scale}`);
  await touch("touchStart", 150);
  for (const apart of [120, 90, 60, 30, 10]) await touch("touchMove", apart);
  await touch("touchEnd");
  assert.equal((await seen(tablet)).scale, 1);
  // Times are in UTC; whoever points at one is told their own.
  const until = tablet.locator("time[data-until]");
  await until.hover();
  const told = await until.evaluate((time) => [time.title, Date.parse(time.title) - Date.parse(`${time.textContent.replace(" ", "T")}Z`)]);
  assert.match(told[0], /GMT\+9$/);
  assert.ok(told[1] >= 0 && told[1] < 60_000, "the same minute");
  await context.close();
});

test("a picture is turned, made brighter and darker, and given more contrast", long, async () => {
  await open(page);
  const { keyboard } = page;
  const turns = [];
  for (let count = 0; count < 4; count++) {
    await keyboard.press("r");
    turns.push((await seen(page)).turn);
  }
  assert.deepEqual(turns, [90, 180, 270, 0]);
  await page.getByRole("button", { name: /^Rotate/ }).click();
  const sideways = await seen(page);
  assert.equal(sideways.turn, 90);
  assert.ok(sideways.scale < 1, "all of it is seen on its side");
  await keyboard.press("0");
  const brightness = async () => Number((await seen(page)).filter.match(/brightness\(([\d.]+)\)/)?.[1] ?? 1);
  await keyboard.press("b");
  near(await brightness(), 1.35, "brighter", 0.001);
  for (const key of ["d", "d"]) await keyboard.press(key);
  near(await brightness(), 1 / 1.35, "darker", 0.001);
  for (let count = 0; count < 9; count++) await page.getByRole("button", { name: /^Darker/ }).click();
  near(await brightness(), 1.35 ** -3, "darkest", 0.001);
  await page.getByRole("button", { name: /^Brighter/ }).click();
  near(await brightness(), 1.35 ** -2, "and back", 0.001);
  await keyboard.press("v");
  assert.match((await seen(page)).filter, /contrast\(1\.5\)/);
  await keyboard.press("0");
  assert.equal((await seen(page)).filter, "");
});

test("every corner is in reach of the keyboard", long, async () => {
  await open(page);
  const { keyboard } = page;
  const { width, height } = await frame(page);
  const scrolled = () => page.evaluate(() => scrollY);
  await keyboard.press("z");
  const before = await scrolled();
  const step = await seen(page);
  near(step.scale, 2.6, "scale", 0.01);
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowUp");
  const moved = await seen(page);
  near(moved.x, -width / 8, "the view goes to the right");
  near(moved.y, height / 8, "the view goes up");
  for (const [sideways, x] of [["ArrowLeft", 1], ["ArrowRight", -1]]) {
    for (const [upright, y] of [["ArrowUp", 1], ["ArrowDown", -1]]) {
      for (let count = 0; count < 16; count++) for (const key of [sideways, upright]) await keyboard.press(key);
      const corner = await seen(page);
      near(corner.x, (x * width * 1.6) / 2, `${sideways}, ${upright}`);
      near(corner.y, (y * height * 1.6) / 2, `${sideways}, ${upright}`);
    }
  }
  assert.equal(await scrolled(), before, "the page stays");
  await keyboard.press("+");
  near((await seen(page)).scale, 3.9, "in steps", 0.01);
  await keyboard.press("-");
  near((await seen(page)).scale, 2.6, "in steps", 0.01);
});

test("the viewer fills the screen, and Escape leaves it", long, async () => {
  await open(page);
  const { keyboard } = page;
  const button = page.getByRole("button", { name: /^Full screen/ });
  const small = await frame(page);
  const isFull = (wanted) => page.waitForFunction((wanted) => Boolean(document.fullscreenElement) === wanted, wanted);
  await keyboard.press("f");
  await isFull(true);
  const large = await frame(page);
  const window = page.viewportSize();
  assert.ok(large.width > 0.95 * window.width && large.height > 0.6 * window.height, JSON.stringify(large));
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await keyboard.press("z");
  near((await seen(page)).scale, 2.6, "zoom works there", 0.01);
  const stumbles = await look(page, "viewer-full");
  await keyboard.press("Escape");
  await isFull(false);
  assert.deepEqual(await frame(page), small);
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  // Whoever goes to the decision sees it.
  await button.click();
  await isFull(true);
  await keyboard.press("x");
  await isFull(false);
  await page.locator('[value="reject"]:focus').waitFor();
  // A browser without a full screen for parts of a page gives the window.
  await page.evaluate(() => { Element.prototype.requestFullscreen = undefined; });
  const before = await frame(page);
  await keyboard.press("f");
  assert.ok((await frame(page)).width > 0.95 * window.width);
  await keyboard.press("Escape");
  assert.deepEqual(await frame(page), before);
  assert.deepEqual(stumbles, []);
});

test("a loupe follows the pointer and shows what is under it", long, async () => {
  await open(page);
  const { keyboard } = page;
  const loupe = page.locator(".loupe");
  assert.equal(await loupe.count() ? await loupe.isVisible() : false, false);
  await keyboard.press("l");
  await loupe.waitFor();
  const { width, height, middle } = await frame(page);
  const centre = (locator) => locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, width };
  });
  for (const at of [{ x: width / 5, y: height / 4 }, { x: -width / 3, y: height / 3 }]) {
    await page.mouse.move(middle.x + at.x, middle.y + at.y);
    const glass = await centre(loupe);
    near(glass.x, middle.x + at.x, "it follows");
    near(glass.y, middle.y + at.y, "it follows");
    // The picture in it is three times as large, and laid so that the same place is in the middle.
    const inside = await centre(loupe.locator("img"));
    near(inside.width, 3 * width, "larger");
    near(inside.x, glass.x - 3 * at.x, "the same place");
    near(inside.y, glass.y - 3 * at.y, "the same place");
  }
  const before = await centre(loupe);
  await keyboard.press("ArrowRight");
  near((await centre(loupe)).x - before.x, width / 16, "with the keyboard");
  const stumbles = await look(page, "viewer-loupe");
  await keyboard.press("l");
  await loupe.waitFor({ state: "hidden" });
  assert.deepEqual(stumbles, []);
});

test("the thumbnails are small pictures, and shortcuts can be switched off", long, async () => {
  await open(page);
  const thumbnails = await page.locator(".strip img").evaluateAll((images) => images.map(({ src, naturalWidth, naturalHeight }) => ({ src, size: Math.max(naturalWidth, naturalHeight) })));
  assert.ok(thumbnails.length >= 2);
  for (const { src, size } of thumbnails) {
    assert.match(src, /\?view=small$/);
    assert.ok(size <= 240, `${size} pixels`);
  }
  const { keyboard } = page;
  const chosen = () => page.locator(".shot.chosen").getAttribute("data-shot");
  await keyboard.press("2");
  assert.equal(await chosen(), "2");
  // Whoever speaks to their computer switches the letters and digits off, for every case, and the arrow keys stay.
  const help = page.locator("dialog.keys");
  const use = async (wanted) => {
    await page.locator("[data-tool=help]").click();
    await help.getByRole("checkbox", { name: "Use shortcuts in this browser" }).setChecked(wanted);
    await keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
  };
  await use(false);
  await open(page);
  for (const key of ["2", "r", "n", "?"]) await keyboard.press(key);
  assert.equal(await chosen(), "1");
  assert.equal((await seen(page)).turn, 0);
  assert.equal(await page.locator("#note:focus").count(), 0);
  assert.equal(await help.isVisible(), false);
  await page.locator("[data-tool=zoom]").click();
  await keyboard.press("ArrowRight");
  assert.ok((await seen(page)).x < 0, "the arrow keys");
  await use(true);
  await keyboard.press("2");
  assert.equal(await chosen(), "2");
  assert.deepEqual(page.noise, []);
});
