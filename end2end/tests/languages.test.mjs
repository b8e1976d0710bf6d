// The languages beside English and Japanese, up to the details: the browser's own language is chosen, the menu changes it, the
// camera speaks it, and nothing overflows the window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { root } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";
import { persist } from "../lib/sitter.mjs";
import { beyond } from "../lib/targets.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
const languages = ["zh-Hans", "ko", "vi", "pt", "es"];
let browser, honnin, tenant;

before(async () => {
  await scene();
  honnin = await Honnin.start("languages");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

const link = async () => (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body.verificationUrl;

/** The texts of a language by their keys. */
const texts = (language) =>
  Object.fromEntries(
    readFileSync(join(root, `app/src/text/translations/${language}.txt`), "utf8").split("\n")
      .filter((line) => line.includes(" = ")).map((line) => line.split(/ = (.*)/s).slice(0, 2)));

for (const language of languages) {
  test(`the pages and the camera speak ${language}`, long, async () => {
    const said = texts(language);
    const wrong = [];
    const page = await browser.phone({ language, viewport: { width: 320, height: 640 } });
    const shoot = async (name) => {
      wrong.push(...(await look(page, `${language}-${name}`)));
      const over = await beyond(page);
      if (over > 0) wrong.push(`${language}-${name}: ${over} px stand out of the window`);
    };
    const walk = new Walk(page, { seen: shoot });
    await walk.start(await link());
    assert.equal(await page.locator("html").getAttribute("lang"), language);
    await walk.consent();
    await walk.choose();
    await page.locator("html[data-islands=awake]").waitFor();
    const open = page.locator(".camera > button");
    assert.equal((await open.innerText()).trim(), said["camera::OPEN"]);
    // A face is not a document: the camera asks for one.
    browser.show("owner");
    await open.click();
    await page.getByRole("button", { name: said["camera::CLOSE"], exact: true }).waitFor();
    const hints = Object.entries(said).filter(([key]) => key.startsWith("camera::HINT_")).map(([, hint]) => hint);
    await persist(page, "a hint of the camera", async () => hints.includes((await page.locator(".stage-hint").textContent()).trim()));
    await shoot("04-camera");
    await page.getByRole("button", { name: said["camera::CLOSE"], exact: true }).click();
    await walk.photograph();
    await walk.accept();
    // What is read meanwhile is filled in, as long as nobody has typed.
    await walk.legible();
    await shoot("07-details");
    await page.locator("main form button[type=submit]").first().click();
    await page.locator(".error-summary").waitFor();
    await shoot("07-details-wrong");
    // The menu keeps what was typed, and Enter in a field still goes on with the form.
    await page.locator("#address").fill("1 Harbour Street");
    await page.locator("#lastName").fill("");
    await page.locator(".languages summary").click();
    await shoot("07-details-menu");
    await page.locator(".languages").getByRole("button", { name: "English" }).click();
    await page.locator("html[lang=en]").waitFor();
    assert.equal(await page.locator("#address").inputValue(), "1 Harbour Street");
    await page.locator("#lastName").press("Enter");
    await page.locator(".error-summary").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.deepEqual(wrong, []);
    assert.deepEqual(page.noise.filter((line) => !/status of 422/.test(line)), []);
  });
}

test("the menu of languages works without scripts and is remembered", long, async () => {
  const page = await browser.phone({ scripts: false });
  await page.goto(await link());
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  const menu = page.getByRole("navigation", { name: "Language" });
  await menu.locator("summary").click();
  assert.deepEqual((await menu.getByRole("link").allInnerTexts()).map((name) => name.trim()),
    ["日本語", "简体中文", "한국어", "Tiếng Việt", "Português", "Español"]);
  await menu.getByRole("link", { name: "Tiếng Việt" }).click();
  await page.getByRole("heading", { name: texts("vi")["entry::START_TITLE"] }).waitFor();
  await page.reload();
  assert.equal(await page.locator("html").getAttribute("lang"), "vi");
});
