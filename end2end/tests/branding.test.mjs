// How a tenant presents itself: its logo, its contact, and the way back to it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, look, patientContext } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { signIn } from "../lib/reviewer.mjs";
import { smallTargets } from "../lib/targets.mjs";

const long = { timeout: 900_000 };
const back = "https://bank.example/back";
let browser, honnin, owner, console_, stumbles;

before(async () => {
  honnin = await Honnin.start("branding");
  browser = await Browser.open();
  owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--sandbox", "--callback", back);
  ({ page: console_, stumbles } = await signIn(browser, honnin, owner, { email: "lea@bank.example" }));
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

const link = async (body = {}) =>
  (await honnin.api(owner.apiKey, "POST", "/v1/verification-sessions", body)).body.verificationUrl;

/** A logo as a designer exports it: a wide PNG with a gradient, a word and a transparent ground. */
async function drawnLogo() {
  const page = await browser.desktop();
  await page.setContent(`<div style="display:inline-flex;align-items:center;gap:40px;padding:20px;font:700 200px serif;color:#0b3d66">
    <i style="width:240px;height:240px;border-radius:50%;background:conic-gradient(#0b3d66,#35a,#9cf,#0b3d66)"></i>Harbour Bank</div>`);
  const png = await page.locator("div").screenshot({ omitBackground: true });
  await page.close();
  return png;
}

async function upload(name, mimeType, buffer) {
  await console_.goto(`${honnin.base}/admin/settings/look`);
  await console_.locator("#logo-file").setInputFiles({ name, mimeType, buffer });
  await console_.locator("#logo").getByRole("button", { name: "Upload" }).click();
}

test("a logo is uploaded, shown on every capture page, and removed", long, async () => {
  await upload("logo.svg", "image/svg+xml", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
  await console_.getByText("SVG files are not accepted").first().waitFor();
  await upload("logo.png", "image/png", Buffer.alloc(2 * 1024 * 1024, 1));
  await console_.getByText("larger than 1 MB").first().waitFor();
  const png = await drawnLogo();
  assert.ok(png.length > 12 * 1024, `${png.length} bytes as exported`);
  await upload("logo.png", "image/png", png);
  await console_.getByText("Saved.").waitFor();
  await console_.locator("#logo img").waitFor();
  stumbles.push(...(await look(console_, "branding-settings")));
  for (const colorScheme of ["light", "dark"]) {
    const phone = await browser.phone({ colorScheme });
    const answers = [];
    phone.on("response", (answer) => answers.push(answer));
    await phone.goto(await link());
    const logos = phone.locator("img.picture-logo");
    assert.deepEqual(await logos.evaluateAll((all) => all.map((logo) => logo.checkVisibility())), [false, true], "once, over the title");
    await phone.waitForFunction(() => [...document.images].every((image) => image.naturalWidth > 0));
    const answer = answers.find((answer) => new URL(answer.url()).pathname.startsWith("/logos/"));
    assert.ok((await answer.body()).length <= 12 * 1024);
    assert.equal(answer.headers()["content-type"], "image/png");
    assert.match(answer.headers()["cache-control"], /immutable/);
    stumbles.push(...(await look(phone, `branding-start-${colorScheme}`)));
    await phone.locator('form[action^="/v/"] button').first().click();
    await phone.waitForURL((url) => url.pathname === "/capture/consent");
    assert.equal(await logos.count(), 1);
    stumbles.push(...(await look(phone, `branding-consent-${colorScheme}`)));
    assert.deepEqual(phone.noise, []);
  }
  await console_.goto(`${honnin.base}/admin/settings/look`);
  await console_.getByLabel("Accent colour").fill("#a0105a");
  await console_.locator("#logo-file").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
  await console_.locator("#logo").getByRole("button", { name: "Upload" }).click();
  await console_.getByText("The other fields are not saved yet.").waitFor();
  assert.equal(await console_.getByLabel("Accent colour").inputValue(), "#a0105a", "what was typed stays");
  await console_.goto(`${honnin.base}/admin/settings/look`);
  assert.equal(await console_.getByLabel("Accent colour").inputValue(), "", "and is not saved");
  await console_.getByRole("button", { name: "Remove the logo" }).click();
  await console_.getByText("Removed.").waitFor();
  const phone = await browser.phone();
  await phone.goto(await link());
  assert.equal(await phone.locator("img.picture-logo").count(), 0);
  await console_.goto(`${honnin.base}/admin/audit`);
  for (const action of ["uploaded a logo", "removed the logo"]) await console_.locator("tbody").getByText(action).first().waitFor();
  assert.deepEqual(stumbles, []);
});

test("the contact stands where a verification ends or goes wrong", long, async () => {
  await console_.goto(`${honnin.base}/admin/settings/look`);
  await console_.getByLabel("Contact for your users").fill("javascript:alert(1)");
  await console_.locator("#look").getByRole("button", { name: "Save" }).click();
  await console_.getByText("must be an https URL or an e-mail address").first().waitFor();
  await console_.getByLabel("Contact for your users").fill("help@bank.example");
  await console_.locator("#look").getByRole("button", { name: "Save" }).click();
  await console_.getByText("Saved.").waitFor();
  const wrong = [];
  for (const outcome of ["rejected", "expired", "failed"]) {
    const phone = await browser.phone();
    await complete(phone, outcome);
    const contact = phone.getByRole("link", { name: "Contact Harbour Bank" });
    assert.equal(await contact.getAttribute("href"), "mailto:help@bank.example", outcome);
    wrong.push(...(await look(phone, `branding-${outcome}`)), ...(await smallTargets(phone)));
    // Also at an address that leads nowhere.
    await phone.goto(`${honnin.base}/capture/nowhere`);
    await phone.getByRole("heading", { level: 1 }).waitFor();
    assert.equal(await contact.getAttribute("href"), "mailto:help@bank.example", `${outcome}, nowhere`);
  }
  const stranger = await browser.phone();
  await stranger.goto(`${honnin.base}/capture/nowhere`);
  assert.equal(await stranger.getByRole("link", { name: /^Contact/ }).count(), 0);
  assert.deepEqual(wrong, []);
});

/** Completes a new session with test data. */
async function complete(phone, outcome) {
  await phone.goto(await link({ callbackUrl: back }));
  const button = phone.locator(`button[value=${outcome}]`);
  await phone.locator("details", { has: button }).locator("summary").click();
  await button.click();
  await phone.waitForURL((url) => url.pathname === "/capture/result");
}

test("the browser goes back to the tenant by itself after twenty seconds, and tells screen readers so once", long, async () => {
  const phone = await browser.phone();
  await phone.clock.install();
  // From here on, time stands still. (axe needs it: the page is looked at in the next test.)
  await phone.clock.pauseAt(Date.now() + 60_000);
  await phone.route(`${back}**`, (route) => route.fulfill({ body: "at the bank" }));
  await complete(phone, "approved");
  const line = phone.locator(".countdown p");
  await line.filter({ hasText: /^Returning to Harbour Bank in (1\d|20) seconds\.$/ }).waitFor();
  const wrong = await smallTargets(phone);
  assert.equal(new URL(phone.url()).pathname, "/capture/result");
  await phone.clock.runFor(1_000);
  const told = phone.locator("[role=status][data-told-once]");
  const sentence = await told.textContent();
  assert.match(sentence, /^Returning to Harbour Bank in 1\d seconds\.$/);
  while (/ seconds\.$/.test(await line.innerText())) await phone.clock.runFor(1_000);
  assert.equal(await line.innerText(), "Returning to Harbour Bank in 1 second.");
  assert.equal(await told.textContent(), sentence);
  await phone.clock.runFor(6_000);
  await phone.waitForURL((url) => url.href.startsWith(back));
  assert.match(phone.url(), /sessionId=vs_/);
  assert.deepEqual(wrong, []);
});

test("who stays on the page is not sent away", long, async () => {
  const phone = await browser.phone();
  await phone.clock.install();
  await phone.clock.pauseAt(Date.now() + 60_000);
  await complete(phone, "approved");
  await phone.getByRole("button", { name: "Stay on this page" }).click();
  await phone.clock.runFor(60_000);
  await phone.clock.resume();
  assert.deepEqual(await look(phone, "branding-staying"), []);
  assert.equal(new URL(phone.url()).pathname, "/capture/result");
  assert.equal(await phone.getByRole("link", { name: /^Return to/ }).evaluate((link) => link === document.activeElement), true);
  assert.equal(await phone.locator("[data-told-once]").textContent(), "");
  const without = await browser.phone({ scripts: false });
  await complete(without, "approved");
  assert.equal(await without.locator("[data-return]").isVisible(), false);
  await without.getByRole("link", { name: /^Return to/ }).waitFor();
});

test("a name and a colour are seen before they are saved", long, async () => {
  await console_.goto(`${honnin.base}/admin/settings/look`);
  const button = console_.locator(".sample-button");
  const colour = () => button.evaluate((element) => getComputedStyle(element).backgroundColor);
  const before = await colour();
  await console_.getByLabel("Name", { exact: true }).fill("Sakura Bank");
  await console_.getByLabel("Accent colour").fill("#a0105a");
  await console_.locator(".sample").getByText("Sakura Bank", { exact: true }).waitFor();
  await console_.waitForFunction(() => getComputedStyle(document.querySelector(".sample-button")).backgroundColor === "rgb(160, 16, 90)");
  assert.notEqual(before, "rgb(160, 16, 90)");
  assert.deepEqual(await look(console_, "branding-sample"), []);
  await console_.reload();
  assert.equal(await colour(), before, "nothing was saved");
  // Without scripts, by the button.
  const context = await patientContext(browser.chromium, { storageState: await console_.context().storageState(), javaScriptEnabled: false });
  const still = await context.newPage();
  await still.goto(`${honnin.base}/admin/settings/look`);
  await still.getByLabel("Accent colour").fill("#a0105a");
  await still.getByRole("button", { name: "Preview" }).click();
  await still.locator(".sample").waitFor();
  await still.waitForLoadState();
  assert.equal(await still.locator(".sample-button").evaluate((element) => getComputedStyle(element).backgroundColor), "rgb(160, 16, 90)");
  assert.equal(await still.getByLabel("Accent colour").inputValue(), "#a0105a");
  await context.close();
  assert.deepEqual(console_.noise.filter((line) => !/422/.test(line)), []);
});

test("a colour that was typed before the script was there is shown, too", long, async () => {
  const early = await console_.context().newPage();
  await early.addInitScript(() => new MutationObserver((_, observer) => {
    const field = document.querySelector("#accent");
    if (!field) return;
    observer.disconnect();
    field.value = "#a0105a";
  }).observe(document, { childList: true, subtree: true }));
  await early.goto(`${honnin.base}/admin/settings/look`);
  await early.waitForFunction(() => getComputedStyle(document.querySelector(".sample-button")).backgroundColor === "rgb(160, 16, 90)");
  await early.close();
});
