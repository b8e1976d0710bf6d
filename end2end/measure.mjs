// How the capture pages feel on a slow phone: `HONNIN_TEST_PROFILE=release node end2end/measure.mjs [lighthouse]`, after `make release`. The site of a
// debug build is not compressed, and misses the limits.
//
// Slow 3G is 400 ms of latency and 50 KB/s each way, as Chromium emulates it. Frames are measured with a processor that is slowed down, and
// need an idle machine. With `lighthouse`, also the scores of the start page, the
// document and the selfie: it needs the package (`npm install --no-save lighthouse` in this folder).
import { chromium } from "playwright-core";
import { Browser } from "./lib/browser.mjs";
import { Honnin } from "./lib/honnin.mjs";
import { chromiumPath, freePort } from "./lib/places.mjs";
import { picture, scene } from "./lib/scene.mjs";
import { Walk } from "./lib/walk.mjs";

const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** How much slower than this machine the phone's processor is. */
const SLOW_DOWN = 4;
/** Milliseconds. */
const LIMITS = { "camera ready": 4_000, "tap to check": 8_000, "a frame, 95 of 100": 50 };

await scene();
const honnin = await Honnin.start("measure");
const tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
const link = async () => (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl;
const figures = [];

async function slow() {
  const browser = await Browser.open();
  try {
    const page = await browser.phone();
    const walk = new Walk(page);
    await walk.start(await link());
    await walk.consent();
    await page.locator("input[value=passport]").check();
    // Nothing is cached yet: as for somebody who gets here within seconds.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.clearBrowserCache");
    await devtools.send("Network.emulateNetworkConditions", SLOW);
    const began = Date.now();
    await page.locator("main form button").first().click();
    await page.locator("html[data-islands=awake]").waitFor();
    figures.push(["camera ready", Date.now() - began]);
    for (const [name, at, took, bytes] of await page.evaluate(() => performance.getEntries().filter((entry) => entry.transferSize !== undefined).map((entry) => [entry.name, Math.round(entry.startTime), Math.round(entry.duration), entry.transferSize]))) {
      figures.push([`  ${new URL(name).pathname}: from, for, bytes`, `${at}, ${took}, ${bytes}`]);
    }
    await page.locator(".camera > button").click();
    await page.locator("dialog.live").waitFor();
    const shutter = page.locator("dialog.taken");
    await shutter.waitFor();
    const tapped = Date.now();
    const shares = new Set();
    const progress = page.locator("dialog .percent");
    const watching = (async () => {
      while (new URL(page.url()).pathname !== "/capture/check") {
        shares.add(await progress.textContent({ timeout: 500 }).catch(() => null));
        await page.waitForTimeout(50).catch(() => null);
      }
    })();
    await page.waitForURL((url) => url.pathname === "/capture/check", { timeout: 60_000 });
    figures.push(["tap to check", Date.now() - tapped]);
    await watching;
    figures.push(["shares of the progress seen", [...shares].filter(Boolean).length]);
  } finally {
    await browser.close();
  }
}

/** How long the page's thread is busy with a frame of the document camera. Nobody holds a card before it, so that it goes on looking. */
async function frames() {
  const browser = await Browser.open();
  try {
    browser.show("owner");
    const page = await browser.phone();
    const walk = new Walk(page);
    await walk.start(await link());
    await walk.consent();
    await walk.choose();
    await page.locator("html[data-islands=awake]").waitFor();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOW_DOWN });
    await page.locator(".camera > button").click();
    await page.locator("dialog.live").waitFor();
    await browser.chromium.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
    await page.waitForTimeout(15_000);
    const { traceEvents } = JSON.parse(await browser.chromium.stopTracing());
    const main = traceEvents.find(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
    const tasks = traceEvents.filter(({ name, pid, tid, dur }) => name.endsWith("RunTask") && pid === main.pid && tid === main.tid && dur > 5_000);
    const took = tasks.map(({ dur }) => dur / 1_000).sort((a, b) => a - b);
    const share = (part) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * part))]);
    figures.push(["frames looked at in 15 s", took.length], ["a frame, half", share(0.5)], ["a frame, 95 of 100", share(0.95)]);
  } finally {
    await browser.close();
  }
}

async function scores() {
  const { default: lighthouse } = await import("lighthouse");
  const port = await freePort();
  const browser = await chromium.launchPersistentContext("", {
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
  });
  try {
    const page = await browser.newPage();
    const options = { port, disableStorageReset: true, onlyCategories: ["performance", "accessibility", "best-practices"], logLevel: "error" };
    const score = async (name, url) => {
      const { lhr } = await lighthouse(url, options);
      for (const { id, score } of Object.values(lhr.categories)) figures.push([`${name}: ${id}`, Math.round(score * 100)]);
      for (const id of ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "total-byte-weight"]) {
        figures.push([`${name}: ${id}`, Math.round(lhr.audits[id].numericValue)]);
      }
      const missed = Object.values(lhr.audits).filter((audit) => audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode === "binary");
      for (const { id } of missed) figures.push([`${name}: missed`, id]);
    };
    const first = await link();
    await score("start", first);
    const walk = new Walk(page);
    await walk.start(first);
    await walk.consent();
    await walk.choose();
    await score("document", `${honnin.base}/capture/document`);
    await page.goto(`${honnin.base}/capture/document`);
    await walk.photograph(picture("passport"));
    await walk.accept();
    await walk.details();
    await score("selfie", `${honnin.base}/capture/selfie`);
  } finally {
    await browser.close();
  }
}

try {
  await slow();
  await frames();
  if (process.argv.includes("lighthouse")) await scores();
} finally {
  await honnin.stop();
}
for (const [name, value] of figures) {
  const limit = LIMITS[name];
  console.log(`${name}\t${value}${limit ? `\tlimit ${limit}${value > limit ? "  MISSED" : ""}` : ""}`);
}
process.exitCode = figures.some(([name, value]) => value > LIMITS[name]) ? 1 : 0;
