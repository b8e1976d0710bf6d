// Every page in every state that can be had without a camera, with nothing on it that another run would show differently.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { patientContext } from "./browser.mjs";
import { busyConsole } from "./console.mjs";
import { root, run, until } from "./places.mjs";
import { allPicturesAreShown, signIn } from "./reviewer.mjs";
import { Walk } from "./walk.mjs";

/** Stands for the photos of a document and of a face. */
const photo = (width, height, colour) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour}"/></svg>`;
const photos = { "sample.jpg": photo(856, 540, "#9fb3c8"), "face.jpg": photo(480, 640, "#b8a99a") };

/** A browser in which nothing moves, with the style sheet of a source folder. */
export async function visitor(browser, { style, change, deviceScaleFactor = 1 } = {}) {
  const context = await patientContext(browser, { deviceScaleFactor, locale: "en-GB", reducedMotion: "reduce", serviceWorkers: "block" });
  await withStyle(context, style, change);
  await withPhotos(context);
  // The queue asks for news by itself, and renews what is being looked at.
  await context.route("**/admin/review/cases*", (route) => route.fulfill({ status: 204 }));
  return context;
}

/** Shows the gallery's photos, and the same ones in place of those of a case. */
export const withPhotos = (context) => context.route(/\.jpg$|\/admin\/pictures\//, (route) =>
  route.fulfill({ contentType: "image/svg+xml", body: photos[new URL(route.request().url()).pathname.split("/").at(-1)] ?? photos["sample.jpg"] }));

/** Shows the pages with the style sheet of a source folder, so that a change of it needs no build. */
async function withStyle(context, folder = join(root, "style"), change = (css) => css) {
  const bundle = (file) => readFileSync(file, "utf8").replace(/@import "(.+?)";/g, (_, part) => bundle(join(dirname(file), part)));
  const sheet = (url) => change(bundle(join(folder, url.endsWith("console.css") ? "console.css" : "main.css")));
  await context.route(/\/pkg\/[^/]+\.css$/, (route) => route.fulfill({ contentType: "text/css", body: sheet(route.request().url()) }));
}

/** Writes the gallery's pages, which name that style sheet, into a folder. */
export const gallery = (folder, css = "/pkg/main.css") =>
  run("cargo", ["run", "--quiet", "--example", "gallery", "--", folder, css], { cwd: root });

/** Opens what is folded. */
const unfold = (page, folds = "details") => page.locator(folds).evaluateAll((all) => all.forEach((fold) => (fold.open = true)));

/** The camera's stage, which a script opens: while it looks, and when it has failed. */
const stages = {
  camera: (page) => page.evaluate(() => {
    document.documentElement.dataset.islands = "awake";
    document.querySelector("#plain").open = false;
    const stage = document.querySelector("dialog.stage");
    for (const part of stage.querySelectorAll("[hidden]:not(.stage-panel, .still)")) part.hidden = false;
    stage.querySelector(".stage-hint").textContent = "Hold still";
    stage.showModal();
  }),
  "camera-failed": (page) => page.evaluate(() => {
    const panel = document.querySelector(".stage-panel");
    panel.hidden = false;
    panel.querySelector("h2").textContent = "Permission is missing";
    panel.querySelector("p").textContent = "Allow the camera in the settings of your browser, and then try again.";
    for (const button of panel.querySelectorAll("button")) button.textContent = "Try again";
  }),
};

/** Pages whose frame is looked at as well; that of the others is the same. */
const framed = ["00-start", "20-problem-link", "21-home", "invitation", "sign-in", "overview"];
const partOf = (name) => (framed.includes(name) ? "body" : "main");

/** Visits the capture pages of a gallery; `seen(name, page, part)` is called on each, with the part of it that others do not have. */
export async function capturePages(page, folder, languages, seen, only = /./) {
  const files = readdirSync(folder).filter((file) => languages.includes(file.split(".").at(-2)) && only.test(file)).sort();
  for (const file of files) {
    const [name, language] = file.split(".");
    await page.goto(pathToFileURL(join(folder, file)).href);
    await unfold(page, "main details");
    await seen(`capture/${name}.${language}`, page, partOf(name));
    if ((await page.locator("dialog.stage").count()) === 0) continue;
    for (const [state, open] of Object.entries(stages)) {
      await open(page);
      await seen(`capture/${name}-${state}.${language}`, page, "dialog.stage");
    }
  }
}

/** Runs in the page: replaces what depends on the moment and on chance by something of the same width. */
function steady() {
  const same = [
    // An identifier or a key, whole or shortened.
    [/\b((?:[a-z]+_)+)([0-9a-f]{16,}|[0-9a-f]+…[0-9a-f]*)/g, (_, kind, rest) => kind + rest.replace(/[0-9a-f]/g, "0")],
    [/\b\d{4}-\d{2}-\d{2}\b/g, "2026-08-02"],
    [/\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b/g, "26 November 2026"],
    [/\b\d{2}:\d{2}(:\d{2})?(\.\d{3})?/g, (time) => time.replace(/\d/g, "0")],
    [/\b(?:just now|(?:under )?\d+ min(?: ago)?)\b/g, "just now"],
    [/\b(?:under 1 s|\d+ m?s)\b/g, "under 1 s"],
    // A score, which another processor may round otherwise.
    [/\b\d\.\d\d\b/g, "0.50"],
    // The side to which the head is turned.
    [/(^|head )right\b/g, "$1left"],
    [/localhost:\d+/g, "localhost:3000"],
  ];
  const frozen = (text) => same.reduce((text, [what, by]) => text.replace(what, by), text);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    if (frozen(data) !== data) texts.currentNode.data = frozen(data);
  }
  for (const field of document.querySelectorAll("input:not([type=file]), textarea")) field.value = frozen(field.value);
  for (const named of document.querySelectorAll("[aria-label]")) named.setAttribute("aria-label", frozen(named.getAttribute("aria-label")));
  // What is cut out of a picture is as large as what was found on it.
  for (const crop of document.querySelectorAll("svg.crop"))
    for (const [name, value] of [["width", "520"], ["height", "96"], ["viewBox", "0 0 520 96"]]) crop.setAttribute(name, value);
}

/** Takes away what of a long page is more of the same. */
const shorten = (page, rest) => page.locator(rest).evaluateAll((parts) => parts.forEach((part) => part.remove()));

async function show(seen, name, page, part = partOf(name.split("/").at(-1))) {
  await shorten(page, "tbody > tr:nth-child(n + 5)");
  await unfold(page);
  await page.evaluate(steady);
  await seen(name, page, part);
}

/** Visits the pages of a running server; `seen(name, page, part)` is called on each. */
export async function servedPages(context, honnin, seen) {
  // The overview counts by UTC day: midnight on the way would split its counts.
  const [day, needed] = [86_400_000, 300_000];
  await until("the next UTC day", () => Date.now() % day < day - needed, { within: 2 * needed, every: 1_000 });
  const signingIn = async (page, name) => {
    await show(seen, name.replace("-", "/"), page);
    return [];
  };
  const { page, cases, pages } = await busyConsole({ desktop: () => context.newPage() }, honnin, signingIn);
  for (const [name, path] of pages) {
    await page.goto(honnin.base + path);
    await show(seen, `console/${name}`, page);
  }
  const press = (name) => Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).click()]);
  await page.goto(`${honnin.base}/admin/review/${cases[0]}`);
  await page.locator("#note").fill("x".repeat(2_001));
  await press(/^Approve/);
  await show(seen, "console/case-wrong", page);
  await page.goto(`${honnin.base}/admin/keys`);
  await page.locator("#name").fill("Checkout");
  await press("Issue");
  await show(seen, "console/keys-issued", page);
  for (const [name, path] of [["home", "/"], ["nowhere", "/nowhere"], ["docs", "/docs"], ["guide", "/docs/webhooks"]]) {
    await page.goto(honnin.base + path);
    await shorten(page, "main > :nth-child(n + 16)");
    await show(seen, `public/${name}`, page, "body");
  }
}

/** Visits a case with pictures, of somebody who verified her identity without scripts and mistyped her name. */
export async function caseWithPictures(context, honnin, seen) {
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--accept-specimens");
  const { body } = await honnin.api(owner.apiKey, "POST", "/v1/verification-sessions", {});
  const plain = await patientContext(context.browser(), { javaScriptEnabled: false });
  const phone = await plain.newPage();
  phone.scripts = false;
  await new Walk(phone).through(body.verificationUrl, { lastName: "Watanabe" });
  await plain.close();
  const { page } = await signIn({ desktop: () => context.newPage() }, honnin, owner);
  await page.goto(`${honnin.base}/admin/review/${body.id}`);
  await allPicturesAreShown(page);
  await show(seen, "console/case-pictures", page);
}
