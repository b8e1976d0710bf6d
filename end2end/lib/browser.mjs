// Chromium as a phone or as a desktop, with a camera whose picture the test chooses.
import { chromium } from "playwright-core";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumPath, LONGEST, shown, UNHURRIED, until } from "./places.mjs";
import { video } from "./scene.mjs";
import { withSitter } from "./sitter.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const locales = { en: "en-GB", ja: "ja-JP", "zh-Hans": "zh-CN", ko: "ko-KR", vi: "vi-VN", pt: "pt-BR", es: "es-MX" };

/**
 * A context that waits for long: a loaded machine must not look like a fault. A correct page responds as soon as it can. Times are shown as in UTC,
 * wherever the tests are run.
 */
export async function patientContext(chromium, options) {
  const context = await chromium.newContext({ timezoneId: "UTC", ...options });
  context.setDefaultTimeout(90_000);
  return context;
}

export class Browser {
  static async open() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "honnin-camera-"));
    browser.camera = join(browser.folder, "camera.y4m");
    browser.show("passport");
    browser.chromium = await chromium.launch({
      executablePath: chromiumPath,
      args: [
        "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        `--use-file-for-fake-video-capture=${browser.camera}`,
      ],
    });
    return browser;
  }

  /** Puts something in front of the camera. Chromium opens the file anew whenever a page opens the camera. */
  show(name) {
    const next = `${this.camera}.next`;
    symlinkSync(video(name), next);
    renameSync(next, this.camera);
  }

  /** A phone; `scripts: false` switches everything of the browser's half off. */
  phone({ scripts = true, language = "en", viewport = { width: 390, height: 844 }, colorScheme = "light", userAgent } = {}) {
    return this.#page({
      userAgent, viewport, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme, locale: locales[language], javaScriptEnabled: scripts,
    });
  }

  /** A reviewer's or an administrator's screen. */
  desktop({ language = "en", viewport = { width: 1280, height: 800 }, userAgent } = {}) {
    return this.#page({ userAgent, viewport, locale: locales[language] });
  }

  async #page(options) {
    const context = await patientContext(this.chromium, { ...options, serviceWorkers: "block" });
    await withSitter(context);
    // The last page leaves for the customer's site after twenty seconds. A response without content leaves the browser where it is (RFC 9110,
    // section 15.3.5), so that the page can be looked at for longer.
    await context.route("https://bank.example/**", (route) => route.fulfill({ status: 204 }));
    const page = await context.newPage();
    page.scripts = options.javaScriptEnabled !== false;
    page.noise = [];
    page.on("console", (message) => {
      if (message.type() === "error") page.noise.push(message.text());
    });
    page.on("pageerror", (error) => page.noise.push(String(error)));
    return page;
  }

  /** Closes every page: one whose camera is on goes on computing, and takes the frames of the next one's. */
  async leave() {
    await Promise.all(this.chromium.contexts().map((context) => context.close()));
  }

  async close() {
    await this.chromium.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until what was read fills this field of the page, which a patient user loads again: now and then, where the page asks by itself. */
export async function filledIn(page, field) {
  // The page may renew itself at the same moment.
  const interrupted = (error) => {
    if (!/interrupted by another navigation|ERR_ABORTED/.test(error.message)) throw error;
  };
  const pause = page.scripts === false ? UNHURRIED : 5 * UNHURRIED;
  let loaded = 0;
  await until("details that were read", async () => {
    if ((await field.inputValue()) !== "") return true;
    if (Date.now() < loaded + pause) return false;
    await page.reload().catch(interrupted);
    loaded = Date.now();
  }, { within: LONGEST, every: 250 });
}

/**
 * The tallest picture, in CSS pixels. Chromium needs more than a minute for one of the whole API page on a phone (78,000 pixels, at two device
 * pixels each), even if only the top of it is asked for.
 */
const TALLEST = 6_000;

/** Leaves a picture of the page for people. */
async function picture(page, path) {
  // A dialog covers the window, not the page.
  const fullPage = (await page.locator("dialog[open]").count()) === 0;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  // Made in half the time of a PNG.
  const jpeg = { path, type: "jpeg", quality: 85 };
  if (!fullPage || height <= TALLEST) {
    await page.screenshot({ ...jpeg, fullPage });
    return;
  }
  const window = page.viewportSize();
  await page.setViewportSize({ ...window, height: TALLEST });
  await page.screenshot(jpeg);
  await page.setViewportSize(window);
}

/**
 * Answers what a screen reader's user would stumble over, and leaves a picture of the page for people where there is something, or of every page where
 * HONNIN_SCREENS is set: a picture takes a fourth as long as axe. `rules` are those of axe that are asked; without it, all.
 */
export async function look(page, name, { rules } = {}) {
  await page.waitForLoadState();
  const isThere = await page.evaluate(() => {
    // What fades in is not hard to read for good, nor is a button that the pointer has just come to rest on.
    globalThis.atOnce ??= new CSSStyleSheet();
    atOnce.replaceSync("*, ::before, ::after { transition: none !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, atOnce];
    const ending = document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime));
    for (const animation of ending) animation.finish();
    return "axe" in globalThis;
  });
  // Once for each page that is loaded, since it is half a megabyte of script.
  if (!isThere) await page.evaluate(axe);
  // Every style sheet is the page's own, so none has to be fetched again for axe.
  const options = { resultTypes: ["violations"], preload: false, ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options);
  await page.evaluate(() => { document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== globalThis.atOnce); });
  if (violations.length > 0 || process.env.HONNIN_SCREENS) {
    const folder = join(shown, "screens");
    mkdirSync(folder, { recursive: true });
    await picture(page, join(folder, `${name}.jpg`));
  }
  return violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map((node) => node.target).join(", ")}`);
}

/** The rules of axe that ask about colours: all that a page in the dark can break alone. */
export const COLOURS = ["color-contrast", "link-in-text-block"];
