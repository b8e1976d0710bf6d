// The four most important runs, with the real binary, a real browser and the example customer.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { approve, lookAround, signIn } from "../lib/reviewer.mjs";
import { scene } from "../lib/scene.mjs";

let browser, honnin, receiver, tenant, passport;

before(async () => {
  passport = (await scene()).document;
  receiver = await Receiver.make();
  honnin = await Honnin.start("verification", receiver.settings);
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--webhook", receiver.url,
    "--callback", "https://bank.example/back", "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

test("the owner of a passport is verified with the camera, and the customer reads who she is", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--callback-url", "https://bank.example/back");
  const page = await browser.phone();
  const applicant = new Applicant(browser, page, { name: "phone" });
  const words = await applicant.goThrough(customer.link);

  await customer.event("verification.approved");
  const detail = await customer.result();
  assert.equal(detail.id, customer.session);
  assert.equal(detail.outcome.verdict, "approved", JSON.stringify(detail.outcome));
  assert.equal(detail.outcome.source, "automatic");
  assert.equal(detail.outcome.checks.document.documentType, "passport");
  assert.equal(detail.outcome.checks.document.authenticity, "authentic");
  assert.equal(detail.outcome.checks.inputMatch.matched, true);
  assert.ok(detail.outcome.checks.selfie.faceMatchConfidence > 0.83);
  const field = (name) => detail.documentOcr.fields.find((field) => field.name === name);
  assert.equal(field("documentNumber").normalized, passport.number);
  assert.equal(field("birthDate").normalized, passport.birth);
  assert.equal(detail.userInputInfo.lastName.toUpperCase(), passport.surname.toUpperCase());
  // The form was prefilled from the passport before anything was typed.
  assert.equal(applicant.read.birthDate, passport.birth);
  assert.equal(words, "Your identity is confirmed");
  const back = new URL(await page.getByRole("link", { name: /^Return to/ }).getAttribute("href"));
  assert.equal(back.origin + back.pathname, "https://bank.example/back");
  assert.deepEqual([...back.searchParams.keys()], ["sessionId", "state"]);
  assert.deepEqual(applicant.stumbles, []);
  assert.deepEqual(page.noise, []);
  await customer.ended;
});

test("another person's selfie never ends approved", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const applicant = new Applicant(browser, await browser.phone(), { who: "stranger" });
  const words = await applicant.goThrough(customer.link);
  assert.notEqual(words, "Your identity is confirmed");
  const [, , type] = await customer.lines.next(/^event (evt_\S+) (verification\.\S+)$/);
  assert.notEqual(type, "verification.approved");
  const detail = await customer.result();
  assert.notEqual(detail.outcome.verdict, "approved");
  assert.ok(detail.outcome.reasons.some((reason) => /^selfie_face_m/.test(reason)), detail.outcome.reasons.join());
  await customer.stop();
});

test("a name that differs waits for a reviewer, whose approval is another event", { timeout: 900_000 }, async () => {
  // A separate tenant: in the other one the passport was approved under its owner's name, and will be again.
  const tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--webhook", receiver.url, "--accept-specimens");
  const customer = await receiver.customer(honnin, tenant);
  const applicant = new Applicant(browser, await browser.phone());
  const words = await applicant.goThrough(customer.link, { "Family name": "Watanabe" });
  assert.equal(words, "We are reviewing your details");
  const first = await customer.event("verification.needs_review");
  const waiting = await customer.result();
  assert.equal(waiting.status, "reviewing");
  assert.deepEqual(waiting.outcome.reasons, ["input_name_mismatch"]);
  assert.equal(waiting.outcome.review, null);

  const { page, stumbles } = await signIn(browser, honnin, tenant);
  stumbles.push(...(await approve(page, honnin, customer.session, "Name changed by marriage, seen on the register.")));
  const second = await customer.event("verification.approved", { after: ["verification.needs_review"] });
  assert.notEqual(second, first);
  const detail = await customer.result(2);
  assert.equal(detail.status, "completed");
  assert.equal(detail.outcome.verdict, "approved");
  assert.equal(detail.outcome.source, "manual_review");
  assert.equal(detail.outcome.review.note, "Name changed by marriage, seen on the register.");
  await customer.ended;

  // What is on the others is the same for every tenant.
  stumbles.push(...(await lookAround(page, honnin, [
    ["overview", "/admin"], ["sessions", "/admin/sessions"], ["session", `/admin/sessions/${customer.session}`], ["webhooks", "/admin/webhooks"],
    ["audit", "/admin/audit"],
  ])));
  assert.deepEqual(stumbles, []);
  assert.deepEqual(page.noise, []);
});

test("without WASM and scripts a passport is taken by uploads, and a person judges the selfie that nobody watched", { timeout: 900_000 }, async () => {
  const customer = await receiver.customer(honnin, tenant, "--stay");
  const page = await browser.phone({ scripts: false });
  const applicant = new Applicant(browser, page, { camera: false });
  assert.equal(await applicant.goThrough(customer.link), "We are reviewing your details");
  await customer.event("verification.needs_review");
  assert.deepEqual((await customer.result()).outcome.reasons, ["selfie_liveness_uncertain"]);
  await customer.stop();
});
