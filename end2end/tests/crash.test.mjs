// The server is killed, as by a power cut, in the middle of each kind of work. After a restart the session continues and the
// customer gets its final event exactly once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST, until } from "../lib/places.mjs";
import { picture, scene } from "../lib/scene.mjs";

let browser, honnin, receiver, tenant;

before(async () => {
  await scene();
  receiver = await Receiver.make();
  honnin = await Honnin.start("crash", receiver.settings);
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--webhook", receiver.url, "--accept-specimens");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

/** An end user at the page with the document's camera, without scripts: every step is a plain form. */
async function atTheDocument(customer) {
  const applicant = new Applicant(browser, await browser.phone({ scripts: false }), { camera: false });
  await applicant.start(customer.link);
  await applicant.consent();
  await applicant.choosePassport();
  return applicant;
}

/** The session's status, as the API says it. */
async function status(customer) {
  return (await honnin.api(tenant.apiKey, "GET", `/v1/verification-sessions/${customer.session}`)).body.status;
}

/** What the customer was told in the end, once nothing is on its way any more. */
async function hears(customer) {
  const [, id, type] = await customer.lines.next(/^event (evt_\S+) (verification\.\S+)$/);
  const detail = await honnin.api(tenant.apiKey, "GET", `/v1/verification-sessions/${customer.session}`);
  assert.equal(`verification.${detail.body.outcome.verdict}`, type);
  assert.deepEqual(customer.events.filter((event) => !event.again).map((event) => event.id), [id]);
  return type;
}

test("killed in the middle of a capture, the same browser goes on", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const applicant = await atTheDocument(customer);
  // The upload is in progress when the server dies.
  const page = applicant.page;
  await page.getByLabel("Photo of the document").setInputFiles(picture("passport"));
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await Promise.all([sent, page.getByRole("button", { name: "Send the photo" }).click({ noWaitAfter: true })]);
  await honnin.kill();
  await honnin.resume();
  await page.goto(`${honnin.base}/capture`);
  const path = new URL(page.url()).pathname;
  assert.ok(["/capture/document", "/capture/check"].includes(path), path);
  if (path === "/capture/document") await applicant.photographDocument();
  await applicant.acceptPhoto();
  await applicant.details();
  await applicant.submit();
  assert.equal(await applicant.result(), "Your identity is confirmed");
  assert.equal(await hears(customer), "verification.approved");
  await customer.stop();
});

test("killed in the middle of an analysis, the picture is analysed after all", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const applicant = await atTheDocument(customer);
  await applicant.photographDocument();
  // The upload is answered before its analysis ends, so this is in the middle of it.
  await honnin.kill();
  await honnin.resume();
  await applicant.page.goto(`${honnin.base}/capture`);
  await applicant.acceptPhoto();
  await applicant.details();
  await applicant.submit();
  assert.equal(await applicant.result(), "Your identity is confirmed");
  assert.equal(await hears(customer), "verification.approved");
  await customer.stop();
});

test("killed in the middle of a decision, it is made once", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const applicant = await atTheDocument(customer);
  await applicant.photographDocument();
  await applicant.acceptPhoto();
  await applicant.details();
  const sent = applicant.page.waitForRequest((request) => request.method() === "POST");
  await Promise.all([sent, applicant.page.getByRole("button", { name: "Submit" }).click({ noWaitAfter: true })]);
  // Once the submission is in the database, only the decision is left to do.
  await until("the submission", async () => (await status(customer)) !== "collecting", { every: 2 });
  await honnin.kill();
  await honnin.resume();
  await applicant.page.goto(`${honnin.base}/capture`);
  assert.equal(await applicant.result(), "Your identity is confirmed");
  assert.equal(await hears(customer), "verification.approved");
  await customer.stop();
});

test("killed in the middle of a delivery, the event arrives once for whoever counts by its id", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const applicant = await atTheDocument(customer);
  await applicant.photographDocument();
  await applicant.acceptPhoto();
  await applicant.details();
  // The receiver is stopped while the event is being sent, so that the delivery is certainly in progress.
  customer.child.kill("SIGSTOP");
  await applicant.submit();
  await until("the decision", async () => (await status(customer)) === "completed", { within: LONGEST });
  await honnin.kill();
  customer.child.kill("SIGCONT");
  await honnin.resume();
  assert.equal(await hears(customer), "verification.approved");
  await customer.stop();
});
