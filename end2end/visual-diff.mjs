// What a change does to the pages, as pictures: `node end2end/visual-diff.mjs [BASE]`, or `make visual-diff BASE=origin/main`.
//
// Every page is rendered as it was at the commit BASE (HEAD unless given) and as it is in the working tree, by the same Chromium with the same fonts.
// Those that differ are put side by side in `target/end2end/visual-diff/index.html`: before, after, and what differs in red.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { capturePages, caseWithPictures, servedPages, visitor } from "./lib/everywhere.mjs";
import { Honnin } from "./lib/honnin.mjs";
import { binary, chromiumPath, root, shown, target } from "./lib/places.mjs";
import { scene } from "./lib/scene.mjs";

const folder = join(shown, "visual-diff");
const widths = [390, 1280];
/** The tallest picture; the rest of a longer page is left out. */
const TALLEST = 6_000;
/** A difference of a channel that nobody sees. */
const UNSEEN = 2;
/** So many pixels may differ: the edges of round shapes are not drawn alike each time. */
const FEW = 100;

const git = (...words) => execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 30 }).trim();

/** The source of a commit, in a folder of its own that the next comparison finds again. */
function sourceOf(commit) {
  const source = join(folder, "source", commit);
  if (!existsSync(source)) {
    mkdirSync(source, { recursive: true });
    // Without its configuration of cargo: that of the working tree holds here, and both together would mean other flags, and a build of everything.
    execFileSync("tar", ["-x", "-C", source, "--exclude", ".cargo"], { input: execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 }) });
  }
  return source;
}

/** Builds what renders pages; answers where it is. */
function built(source) {
  execFileSync("cargo", ["build", "--quiet", "--bin", "honnin", "--example", "gallery"], {
    cwd: source, stdio: "inherit", env: { ...process.env, CARGO_TARGET_DIR: target },
  });
  return { honnin: binary("honnin"), gallery: binary("examples/gallery") };
}

/** The same of another commit, kept elsewhere: the next build puts its own in their place. */
function kept(commit) {
  const place = join(folder, "programs", commit);
  const programs = { honnin: join(place, "honnin"), gallery: join(place, "gallery") };
  if (existsSync(programs.gallery)) return programs;
  const fresh = built(sourceOf(commit));
  mkdirSync(place, { recursive: true });
  copyFileSync(binary("hash.txt"), join(place, "hash.txt"));
  for (const name of ["honnin", "gallery"]) copyFileSync(fresh[name], programs[name]);
  return programs;
}

/** A picture that is like the one before it: on a busy machine, parts of the first one may not have been drawn yet. */
async function settled(page) {
  let picture = await page.screenshot();
  for (let tries = 0; tries < 5; tries += 1) {
    const next = await page.screenshot();
    if (next.equals(picture)) break;
    picture = next;
  }
  return picture;
}

/** Renders every page in every language, scheme and width into a folder. */
async function render(browser, programs, style, into) {
  rmSync(into, { recursive: true, force: true });
  const pages = join(into, "pages");
  mkdirSync(pages, { recursive: true });
  execFileSync(programs.gallery, [pages, "/pkg/main.css"]);
  const shoot = async (name, page) => {
    for (const width of widths)
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        const tall = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ width, height: Math.min(tall, TALLEST) });
        const file = join(into, `${name}.${colorScheme}.${width}.png`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, await settled(page));
      }
  };
  const servers = await Promise.all(["visual-diff", "visual-diff-case"].map((name) => Honnin.start(name, {}, programs.honnin)));
  await Promise.all([
    visitor(browser, { style }).then((context) => context.newPage()).then((page) => capturePages(page, pages, ["en", "ja"], shoot)),
    visitor(browser, { style }).then((context) => servedPages(context, servers[0], shoot)),
    visitor(browser, { style }).then((context) => caseWithPictures(context, servers[1], shoot)),
  ]).finally(() => Promise.all(servers.map((server) => server.stop())));
}

/** Runs in the page: both pictures and what differs side by side, unless nothing does; `{ pixels, picture }`. */
async function compared([before, after, unseen]) {
  const decoded = async (base64) => base64 && createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const images = await Promise.all([before, after].map(decoded));
  const [width, height] = ["width", "height"].map((size) => Math.max(...images.map((image) => image?.[size] ?? 0)));
  const canvas = new OffscreenCanvas(3 * width + 32, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  images.forEach((image, at) => image && context.drawImage(image, at * (width + 16), 0));
  const [a, b] = [0, 1].map((at) => context.getImageData(at * (width + 16), 0, width, height));
  let pixels = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const differs = [0, 1, 2, 3].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > unseen);
    if (differs) pixels += 1;
    // The page shines through, so that the place is found.
    const pale = 255 - (255 - (b.data[at] + b.data[at + 1] + b.data[at + 2]) / 3) / 4;
    a.data.set(differs ? [210, 0, 40, 255] : [pale, pale, pale, 255], at);
  }
  context.putImageData(a, 2 * (width + 16), 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return { pixels, picture: pixels && btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")) };
}

const base = git("rev-parse", `${process.argv[2] ?? "HEAD"}^{commit}`);
// The style sheet is read from the source. If nothing else differs, the same programs render both.
const programsOnly = ["--", ".", ":!style", ":!end2end", ":!scripts", ":!Makefile", ":!*.md"];
const isOnlyStyle = (git("diff", "--name-only", base, ...programsOnly) + git("ls-files", "--others", "--exclude-standard", ...programsOnly)) === "";
await scene();
const old = isOnlyStyle ? null : kept(base);
const now = built(root);
const [before, after, sheet] = ["before", "after", "changed"].map((name) => join(folder, name));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
await render(browser, old ?? now, join(sourceOf(base), "style"), before);
await render(browser, now, join(root, "style"), after);

rmSync(sheet, { recursive: true, force: true });
const page = await browser.newPage();
const pictures = (of) => readdirSync(of, { recursive: true }).filter((file) => file.endsWith(".png"));
const changed = [];
for (const file of [...new Set([before, after].flatMap(pictures))].sort()) {
  const [a, b] = [before, after].map((of) => (existsSync(join(of, file)) ? readFileSync(join(of, file)) : null));
  if (a && b && a.equals(b)) continue;
  const { pixels, picture } = await page.evaluate(compared, [a?.toString("base64"), b?.toString("base64"), UNSEEN]);
  if (pixels <= FEW) continue;
  mkdirSync(dirname(join(sheet, file)), { recursive: true });
  writeFileSync(join(sheet, file), Buffer.from(picture, "base64"));
  changed.push({ file, pixels });
  console.log(`${file}: ${pixels} pixels`);
}
await browser.close();
const figures = changed.map(({ file, pixels }) =>
  `<figure><figcaption>${file}: ${pixels} pixels</figcaption><a href="changed/${file}"><img loading="lazy" src="changed/${file}"></a></figure>`);
const index = join(folder, "index.html");
writeFileSync(index, `<!DOCTYPE html><meta charset="utf-8"><title>${base.slice(0, 8)} and now</title>
<style>body{margin:16px;background:#7d8592;color:#fff;font:13px sans-serif}figure{margin:0 0 24px}img{max-width:100%}</style>
<h1>${changed.length} pictures differ from ${base.slice(0, 8)}</h1>${figures.join("\n")}`);
console.log(`${changed.length} pictures differ: ${index}`);
