// One picture of every capture page in every state, language, width and colour scheme: `node end2end/sheet.mjs [FOLDER]`.
//
// The pages are the gallery's, with the style sheet as it is in the source, so that a change of either shows at once.
import { chromium } from "playwright-core";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gallery, withPhotos } from "./lib/everywhere.mjs";
import { chromiumPath, root, shown } from "./lib/places.mjs";

const folder = resolve(process.argv[2] ?? join(shown, "sheet"));
const pages = join(folder, "pages");
const widths = [320, 390, 768, 1280];
const schemes = ["light", "dark"];
/** A sheet holds what a person can look at without scrolling sideways. */
const across = 2400;

mkdirSync(pages, { recursive: true });
if (!process.env.HONNIN_GALLERY_IS_THERE) await gallery(pages, pathToFileURL(join(root, "style/main.css")).href);

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
const tooWide = [];
for (const language of ["en", "ja", "zh-Hans", "ko", "vi", "pt", "es"]) {
  for (const scheme of schemes) {
    for (const width of widths) {
      const height = width < 700 ? 844 : 800;
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: 1 });
      const page = await context.newPage();
      await withPhotos(page);
      const tiles = [];
      for (const name of readdirSync(pages).filter((name) => name.endsWith(`.${language}.html`)).sort()) {
        await page.goto(pathToFileURL(join(pages, name)).href);
        const [beyond, tall] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight]);
        if (beyond > 0) tooWide.push(`${name} at ${width}: ${beyond} px`);
        // As tall as the page, so that what sticks to the window's edge stands where it ends up.
        await page.setViewportSize({ width, height: tall });
        const png = await page.screenshot();
        await page.setViewportSize({ width, height });
        tiles.push(`<figure><img width="${width}" src="data:image/png;base64,${png.toString("base64")}"><figcaption>${name}</figcaption></figure>`);
      }
      const sheet = await browser.newPage({ viewport: { width: across, height: 1000 } });
      await sheet.setContent(
        `<style>body{margin:16px;background:#7d8592;display:flex;flex-wrap:wrap;gap:16px;align-items:start;font:13px sans-serif}figure{margin:0}figcaption{padding:4px;color:#fff}img{display:block}</style>${tiles.join("")}`);
      await sheet.waitForLoadState("load");
      const file = join(folder, `${language}-${scheme}-${width}.png`);
      await sheet.screenshot({ path: file, fullPage: true });
      await sheet.close();
      await context.close();
      console.log(file);
    }
  }
}
await browser.close();
if (tooWide.length > 0) {
  console.error(tooWide.join("\n"));
  process.exitCode = 1;
}
