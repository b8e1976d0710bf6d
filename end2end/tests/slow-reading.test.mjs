// An analysis that takes longer than anybody waits for it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, afterEach, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { scene } from "../lib/scene.mjs";

let browser, honnin, tenant;

before(async () => {
  await scene();
  // Nothing is analysed until the test starts a worker.
  honnin = await Honnin.start("slow-reading", { HONNIN_WORKER_EMBEDDED: "false" });
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

test("the applicant is told that the document is being read, and what nobody has typed is filled in", { timeout: 600_000 }, async () => {
  const { verificationUrl } = (await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {})).body;
  const page = await browser.phone();
  const applicant = new Applicant(browser, page);
  await applicant.start(verificationUrl);
  await applicant.consent();
  await applicant.choosePassport();
  await applicant.photographDocument();
  // While the form is on its way, the browser answers no questions: what the button says is noted by the page.
  await page.locator("form[data-told]").evaluate((form) => form.addEventListener("submit", ({ submitter }) => {
    sessionStorage.setItem("button", JSON.stringify([submitter.textContent, submitter.getAttribute("aria-disabled")]));
  }));
  await page.getByRole("button", { name: "Yes, use this photo" }).click();
  await page.waitForURL((url) => url.pathname === "/capture/details");
  const [label, disabled] = JSON.parse(await page.evaluate(() => sessionStorage.getItem("button")));
  assert.match(label, /^Reading your document/);
  assert.equal(disabled, "true");
  const told = page.getByRole("status").filter({ hasText: "We are still reading your document." });
  await told.waitFor();
  await page.getByLabel("Given names").fill("Maria");
  // Sent too early, the form comes back with what was typed; without a connection, it is not sent at all. Neither is the end of the reading.
  const next = page.getByRole("button", { name: "Continue", exact: true });
  await next.click();
  await page.getByRole("alert").filter({ hasText: "Family name" }).waitFor();
  await told.waitFor();
  // What nothing will be read of stays wrong on this page, and nothing on the other.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByLabel("Given names").fill("Maria");
  await other.getByLabel("Address").fill("1 Sample Street");
  await other.getByRole("button", { name: "Continue", exact: true }).click();
  await other.getByRole("alert").filter({ hasText: "Family name" }).waitFor();
  assert.match(await other.title(), /^Error: /);
  await page.bringToFront();
  await page.context().setOffline(true);
  await next.click();
  await page.locator("[data-offline]").waitFor();
  await page.context().setOffline(false);
  const worker = spawn(honnin.program, ["worker"], { env: honnin.env, cwd: honnin.data, stdio: "ignore" });
  try {
    await told.waitFor({ state: "detached", timeout: 300_000 });
  } finally {
    const gone = once(worker, "exit");
    worker.kill("SIGTERM");
    await gone;
  }
  assert.equal(await page.getByLabel("Given names").inputValue(), "Maria");
  assert.notEqual(await page.getByLabel("Family name").inputValue(), "");
  assert.equal(await page.getByLabel("Year").inputValue().then((year) => year.length), 4);
  await page.getByRole("status").filter({ hasText: "Check what we read from your document" }).waitFor();
  const links = page.locator(".error-summary a");
  assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.hash)), ["#address"]);
  assert.match(await page.title(), /^Error: /);
  await other.bringToFront();
  await other.getByRole("status").filter({ hasText: "Check what we read from your document" }).waitFor();
  assert.equal(await other.locator(".error-summary, .wrong, [aria-invalid]").count(), 0);
  assert.doesNotMatch(await other.title(), /^Error: /);
  assert.equal(await other.getByLabel("Family name").getAttribute("aria-describedby"), null);
});
