// Every page looks as it was accepted, in light and dark, on a narrow and on a wide screen. `UPDATE_BASELINE=1` accepts what it looks like now.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { accept, differences, read, told } from "../lib/baseline.mjs";
import { onlyEven } from "../lib/even.mjs";
import { capturePages, caseWithPictures, gallery, servedPages, visitor } from "../lib/everywhere.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { layoutOf } from "../lib/layout.mjs";
import { chromiumPath, root, shown } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";

const long = { timeout: 1_800_000 };
const baseline = join(root, "end2end/baseline");
const folder = join(shown, "visual");
const pages = join(folder, "pages");
let browser, honnin, other;

before(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await scene();
  await gallery(pages);
  // Two, because what is on one page must not depend on how fast another is visited.
  [honnin, other] = await Promise.all([Honnin.start("visual"), Honnin.start("visual-case")]);
  // At two device pixels each, letters are not rounded to whole pixels. It begins so, too: what it measures before a page has its own scale stays as
  // it is, and whether that comes first depends on how busy the machine is.
  browser = await chromium.launch({
    executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=2"],
    env: { ...process.env, ...onlyEven(join(folder, "fonts")) },
  });
});

after(async () => {
  await browser?.close();
  await Promise.all([honnin?.stop(), other?.stop()]);
});

/** Chromium's idea of where a Japanese phrase ends changes with its version. */
const anyPhrase = (css) => css.replaceAll("word-break: auto-phrase", "word-break: normal");

const visited = (change = (css) => css) => visitor(browser, { change: (css) => change(anyPhrase(css)), deviceScaleFactor: 2 });

test("a letter is half as wide as it is high on every machine", long, async () => {
  const page = await (await visited()).newPage();
  await page.setContent('<span style="font: 680 100px system-ui">Honnin</span><br><span style="font: 17px ui-monospace, serif">本人</span>');
  const widths = await page.locator("span").evaluateAll((words) => words.map((word) => word.getBoundingClientRect().width));
  assert.deepEqual(widths.map(Math.round), [300, 34]);
});

for (const [what, change, told] of [
  ["a colour", (css) => css.replace("--ink-soft: #4b5263", "--ink-soft: #4b5274"), [
    'p.progress-text "Step 1 of 5 · Consent" colour #4b5263 / #b6bece → #4b5274 / #b6bece',
    'p.lead "To verify your identity…" colour #4b5263 / #b6bece → #4b5274 / #b6bece',
    'p.hint "Version of this text: 2…" colour #4b5263 / #b6bece → #4b5274 / #b6bece',
    'p.hint "If you do not agree, th…" colour #4b5263 / #b6bece → #4b5274 / #b6bece',
  ]],
  ["a padding", (css) => `${css}.button.primary { padding-block: 0.75rem }`, ['button.button.primary "I agree" padding 8, 24 → 12, 24']],
  ["a hidden button", (css) => `${css}.button.quiet { visibility: hidden }`, ['button.button.quiet "I do not agree" gone  → ']],
  ["a margin", (css) => `${css}h1 { margin-top: 9px }`, [
    "main \"\" box 0,60 390x1253 | 368,60 544x1127 → 0,60 390x1262 | 368,60 544x1136",
    'h1 "Your consent" box 16,20 358x35 | 33,20 478x35 → 16,29 358x35 | 33,29 478x35',
  ]],
]) {
  test(`${what} that changes is told, and nothing else`, long, async () => {
    const seen = async (change) => {
      const context = await visited(change);
      const found = new Map();
      await capturePages(await context.newPage(), pages, ["en"], async (name, page, part) => found.set(name, await layoutOf(page, part)), /^01-consent\./);
      await context.close();
      return found;
    };
    const changes = differences(await seen(), await seen(change));
    assert.deepEqual(changes.map(({ element, of, from, to }) => `${element.what} "${element.text}" ${of} ${from} → ${to}`), told);
  });
}

test("the main action is in the window that an iPhone's Safari leaves between its bars", long, async () => {
  const context = await visited();
  const page = await context.newPage();
  await page.setViewportSize({ width: 390, height: 664 });
  const ends = new Map();
  await capturePages(page, pages, ["en", "ja"], async (name) => {
    ends.set(name, await page.locator(".actions .button.primary").first().evaluate((button) => button.getBoundingClientRect().bottom));
  }, /^(00-start|02-choose|05-check|07-details|10-submit)\./);
  await context.close();
  assert.equal(ends.size, 10);
  assert.deepEqual([...ends].filter(([, bottom]) => bottom > 664), []);
});

test("every page looks as it was accepted", long, async () => {
  const found = new Map();
  // Seconds that are counted down: the script goes on counting in what is no longer on the page.
  const stopped = (counts) => counts.forEach((count) => count.replaceWith(Object.assign(count.cloneNode(), { textContent: "10" })));
  const seen = async (name, page, part) => {
    await page.locator("[data-undo] [data-left]").evaluateAll(stopped);
    found.set(name, await layoutOf(page, part));
  };
  const capture = async () => capturePages(await (await visited()).newPage(), pages, ["en", "ja"], seen);
  const served = async () => servedPages(await visited(), honnin, seen);
  const pictures = async () => caseWithPictures(await visited(), other, seen);
  await Promise.all([capture(), served(), pictures()]);
  if (process.env.UPDATE_BASELINE) accept(baseline, found);
  const changes = differences(read(baseline), found);
  const report = join(folder, "changes.txt");
  writeFileSync(report, told(changes, { atMost: Infinity }));
  assert.ok(changes.length === 0, `${told(changes)}

A value holds at 390 px | at 1280 px, each in light / dark. All changes are in ${report}; "make visual-diff" shows them as pictures.
If they are meant: UPDATE_BASELINE=1 node --test end2end/tests/visual.test.mjs, and commit end2end/baseline.`);
});
