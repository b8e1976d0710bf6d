// Readings beside the print they come from, for the applicant and for the reviewer, and faces laid over each other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser, look, patientContext } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { allPicturesAreShown, signIn } from "../lib/reviewer.mjs";
import { scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant;
/** The case that the reviewer has compared, and her page. */
let compared;

before(async () => {
  await scene();
  honnin = await Honnin.start("compare");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--accept-specimens");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

const link = async () => (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body;

/** Fails unless every cut-out shows a part of a picture with print on it. */
async function showsPrint(page, crops) {
  const blank = await crops.evaluateAll(async (shown) => {
    const flat = [];
    for (const crop of shown) {
      const image = new Image();
      image.src = crop.querySelector("image").getAttribute("href");
      await image.decode();
      const { y, width, height } = crop.viewBox.baseVal;
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, -y);
      const { data } = context.getImageData(0, 0, width, height);
      const light = data.filter((_, at) => at % 4 === 1);
      if (Math.max(...light.slice(0, 90_000)) - Math.min(...light.slice(0, 90_000)) < 60) flat.push(crop.getAttribute("aria-label"));
    }
    return flat;
  });
  assert.deepEqual(blank, []);
}

/** In windows of these widths, and in the dark in the widest: what axe finds, and what stands out of the window. In the dark only colours differ. */
async function everywhere(page, name, widths = [390, 1280]) {
  const wrong = [];
  const looks = [...widths.map((width) => [width, "light"]), [Math.max(...widths), "dark"]];
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 844 });
    // Colours change at once.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    wrong.push(...(await look(page, `${name}-${width}-${colorScheme}`)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) wrong.push(`${name}-${width}: ${wide} px stand out of the window`);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference" });
  return wrong;
}

test("each detail stands beside its print, and a reviewer compares it and both faces", long, async () => {
  for (const scripts of [false, true]) {
    const { id, verificationUrl } = await link();
    const page = await browser.phone({ scripts });
    const sheets = [];
    page.on("request", (request) => request.url().includes("view=typed-items") && sheets.push(request));
    const applicant = new Applicant(browser, page, { camera: scripts });
    await applicant.start(verificationUrl);
    await applicant.consent();
    await applicant.choosePassport();
    await applicant.photographDocument();
    await applicant.acceptPhoto();
    const family = page.getByLabel("Family name");
    await applicant.legible();
    await page.waitForLoadState("load");
    const printed = page.locator(".field", { has: page.getByRole("img", { name: "As printed on your document" }) });
    const beside = (await printed.allInnerTexts()).map((words) => words.split("\n")[0]);
    assert.deepEqual(beside, ["Family name", "Given names", "Date of birth"]);
    if (scripts) {
      sheets.length = 0;
      await page.reload();
      await page.waitForLoadState("networkidle");
      assert.equal(sheets.length, 1, "one sheet for all fields");
      const { headers } = await sheets[0].response().then(async (answer) => ({ headers: await answer.allHeaders() }));
      assert.match(headers["cache-control"], /no-store/);
      await showsPrint(page, page.locator("svg.crop"));
      assert.deepEqual(await everywhere(page, "compare-details", [320, 390, 1280]), []);
      await page.setViewportSize({ width: 390, height: 844 });
    }
    // What was typed wrongly keeps its cut-outs.
    await page.getByLabel("Address").fill("");
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.locator(".error-summary").waitFor();
    await page.waitForLoadState();
    assert.equal(await page.locator("svg.crop").count(), 3);
    if (!scripts) continue;
    // The last letter is typed otherwise.
    const read = await family.inputValue();
    await applicant.details({ "Family name": `${read.slice(0, -1)}X` });
    // Files, since a person looks at the session anyway.
    await new Walk(page).selfie({ files: true });
    await applicant.submit();
    await applicant.result();
    await review(id, read.at(-1));
  }
});

async function review(id, letter) {
  const { page } = await signIn(browser, honnin, tenant, { email: "cora@bank.example", role: "reviewer" });
  const address = `${honnin.base}/admin/review/${id}`;
  await page.goto(address);
  compared = { page, address };
  await allPicturesAreShown(page);
  const name = page.getByRole("row", { name: /Family name/ });
  await name.getByRole("img", { name: /as printed/ }).waitFor();
  assert.equal(await name.locator("mark").first().innerText(), letter, "the letter that differs");
  await showsPrint(page, page.locator("svg.crop"));
  const wrong = await everywhere(page, "compare-case");
  await page.setViewportSize({ width: 1280, height: 800 });
  const lines = await page.locator(".readings td.value").evaluateAll((values) => values.map((value) => {
    const text = document.createRange();
    text.selectNodeContents(value);
    return [value.textContent, text.getClientRects().length];
  }));
  const digits = lines.filter(([value]) => /^(?=.*\d)[\dA-Z-]{9,12}$/.test(value));
  assert.ok(digits.length > 3, `${lines}`);
  assert.deepEqual(digits.filter(([, count]) => count > 1), [], "digits are compared in one line");
  const [portrait, selfie] = await page.locator(".faces-pair img").evaluateAll((images) =>
    images.map(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight]));
  assert.deepEqual([portrait, selfie], [[480, 600], [480, 600]]);
  const opacity = () => page.locator(".faces-pair figure").nth(1).evaluate((figure) => figure.style.opacity);
  const { keyboard } = page;
  await keyboard.press("c");
  const slider = page.getByRole("slider", { name: "Share of the selfie" });
  assert.ok(await slider.evaluate((input) => input === document.activeElement), "the slider is next");
  assert.equal(await opacity(), "0.5");
  for (let step = 0; step < 4; step++) await keyboard.press("ArrowRight");
  assert.equal(await opacity(), "0.7");
  wrong.push(...(await look(page, "compare-case-over")));
  await keyboard.press("s");
  assert.equal(await page.getByRole("button", { name: /^Flicker/ }).getAttribute("aria-pressed"), "true");
  for (const value of ["1", "0", "1"]) await page.waitForFunction((value) => document.querySelectorAll(".faces-pair figure")[1].style.opacity === value, value);
  await keyboard.press("s");
  assert.equal(await opacity(), "", "side by side again");
  // Nothing moves for people who do not want it: each press changes the face, and says which it is.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await keyboard.press("s");
  const seen = page.locator("[data-seen]");
  assert.equal(await seen.innerText(), "Selfie");
  await keyboard.press("s");
  assert.equal(await seen.innerText(), "Document");
  await keyboard.press("c");
  assert.equal(await opacity(), "", "side by side again");
  assert.deepEqual(wrong, []);
  assert.deepEqual(page.noise, []);
}

test("without scripts both faces are side by side, and no control does nothing", long, async () => {
  assert.ok(compared, "there is no case to compare");
  const state = await compared.page.context().storageState();
  const context = await patientContext(browser.chromium, { storageState: state, javaScriptEnabled: false, viewport: { width: 1280, height: 800 } });
  const still = await context.newPage();
  await still.goto(compared.address);
  await still.locator(".faces-pair img").nth(1).waitFor();
  for (const control of ["[data-modes]", "[data-share]", "[data-seen]", "[data-tools]"]) {
    assert.equal(await still.locator(control).isVisible(), false, control);
  }
  await context.close();
});
