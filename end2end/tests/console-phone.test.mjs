// Every page of the console on a phone and on a desk, and in the dark: nothing wider than the window, everything large enough for a
// thumb, and nothing for axe to find.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, COLOURS, look, patientContext } from "../lib/browser.mjs";
import { busyConsole } from "../lib/console.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { beyond, smallTargets } from "../lib/targets.mjs";

const long = { timeout: 600_000 };
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };
const tablet = { width: 1024, height: 768 };
const narrowest = { width: 320, height: 640 };
let browser, honnin, owner, page, cases, pages;

before(async () => {
  honnin = await Honnin.start("console-phone");
  browser = await Browser.open();
  ({ owner, page, cases, pages } = await busyConsole(browser, honnin));
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

test("no page of the console scrolls sideways, everything can be tapped, and nothing is hard to read in the dark", long, async () => {
  const wrong = [];
  // Colours change at once.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const [name, path] of pages) {
    await page.setViewportSize(phone);
    const answer = await page.goto(honnin.base + path);
    if (!answer.ok() && name !== "nowhere") wrong.push(`${path}: ${answer.status()}`);
    // What is folded away is tapped as well.
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
    wrong.push(...(await look(page, `phone-${name}-light`)));
    const over = await beyond(page);
    if (over > 0) wrong.push(`${name}: ${over} px stand out of the window`);
    wrong.push(...(await smallTargets(page)).map((small) => `${name}: ${small}`));
    await page.setViewportSize(narrowest);
    const overNarrow = await beyond(page);
    if (overNarrow > 0) wrong.push(`${name}: ${overNarrow} px stand out of the narrowest window`);
    await page.setViewportSize(tablet);
    const isCutOff = await page.evaluate(() => [...document.querySelectorAll(".scroll")].some((box) => box.scrollWidth > box.clientWidth));
    if (isCutOff && ["queue", "sessions", "people", "audit"].includes(name)) wrong.push(`${name}: the list is cut off on a tablet`);
    await page.setViewportSize(desk);
    wrong.push(...(await look(page, `desk-${name}-light`)));
    const overDesk = await beyond(page);
    if (overDesk > 0) wrong.push(`${name}: ${overDesk} px stand out of the desk's window`);
    // Only colours differ from the above, and a wide window shows all of them.
    await page.emulateMedia({ colorScheme: "dark" });
    wrong.push(...(await look(page, `desk-${name}-dark`, { rules: COLOURS })));
    await page.emulateMedia({ colorScheme: "light" });
  }
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.deepEqual(wrong, []);
});

test("a name without spaces leaves each source and each verdict in view, on a small window too", long, async () => {
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const name = { lastName: "Wolfeschlegelsteinhausenbergerdorff", firstName: "Hubertblaineadolphcharlesdavidearlf" };
  const { id } = await call("/v1/verification-sessions", { preRegisteredInfo: name });
  await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
  for (const path of [`/admin/review/${id}`, `/admin/sessions/${id}`]) {
    await page.goto(honnin.base + path);
    await page.locator(".readings").getByText(name.lastName).first().waitFor();
    for (const viewport of [tablet, desk]) {
      await page.setViewportSize(viewport);
      const [inside, seen] = await page.locator(".scroll:has(> .readings)").evaluate((box) => [box.scrollWidth, box.clientWidth]);
      assert.ok(inside <= seen, `${path} at ${viewport.width}: ${inside} px in ${seen}`);
    }
  }
});

test("at 200 % zoom the list of shortcuts still names the keys", long, async () => {
  // As much as a laptop's window of 1280 px shows then.
  await page.setViewportSize({ width: 640, height: 400 });
  for (const path of ["/admin/review", `/admin/review/${cases[0]}`]) {
    await page.goto(honnin.base + path);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    const keys = await help.locator("dt").allInnerTexts();
    assert.ok(keys.length > 3 && keys.every((key) => key.trim() !== ""), `${path}: ${JSON.stringify(keys)}`);
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize(desk);
});

test("the menu opens, leads on and closes without a script", long, async () => {
  await page.setViewportSize(phone);
  const plain = await patientContext(browser.chromium, {
    javaScriptEnabled: false, viewport: phone, storageState: await page.context().storageState(),
  });
  const without = await plain.newPage();
  await without.goto(`${honnin.base}/admin`);
  const keys = without.getByRole("link", { name: "API keys" });
  assert.equal(await keys.isVisible(), false, "closed at first");
  await without.getByRole("button", { name: /^Menu/ }).click();
  await keys.waitFor();
  await without.getByRole("button", { name: /^Menu/ }).click();
  await keys.waitFor({ state: "hidden" });
  await without.getByRole("button", { name: /^Menu/ }).click();
  await keys.click();
  await without.waitForURL((url) => url.pathname === "/admin/keys");
  await plain.close();
  // With everything in it, and nothing too small.
  await page.goto(`${honnin.base}/admin`);
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
  const wrong = [...(await look(page, "phone-menu")), ...(await smallTargets(page))];
  assert.deepEqual(wrong, []);
  await page.setViewportSize(desk);
});

test("on a phone the decision is in reach wherever the case is scrolled to", long, async () => {
  await page.setViewportSize(phone);
  await page.goto(`${honnin.base}/admin/review/${cases[1]}`);
  for (const to of ["0", "document.body.scrollHeight"]) {
    await page.evaluate(`scrollTo(0, ${to})`);
    for (const name of [/^Approve/, /^Reject/, /^Ask again/]) {
      const box = await page.getByRole("button", { name }).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= phone.height, `${name} at ${to}: ${JSON.stringify(box)}`);
    }
  }
  await page.setViewportSize(desk);
});
