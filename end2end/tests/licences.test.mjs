// Driving licences, both sides: approved if the tenant's settings accept their evidence, otherwise reviewed by a person.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { until } from "../lib/places.mjs";
import { picture, scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

let browser, honnin, receiver, stage;

before(async () => {
  stage = await scene();
  receiver = await Receiver.make();
  honnin = await Honnin.start("licences", receiver.settings);
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

const folded = (text) => text.toUpperCase().replaceAll(/[\s,]/g, "");

const licences = {
  "jp-licence": { language: "ja", kana: { lastNameKana: "ヤマダ", firstNameKana: "ハナコ" } },
  "us-licence": { language: "en", kana: {} },
};

/** Kana follow what is typed, until somebody types their own. */
async function composed(walk, { lastName, firstName }, kana) {
  const field = (name) => walk.page.locator(`#${name}`);
  const shows = (name, value) => until(`${name}: ${value}`, async () => (await walk.shown(name)) === value);
  await field("lastName").fill("");
  await walk.compose("lastName", "はまだ", "浜田");
  await shows("lastNameKana", "ハマダ");
  await field("lastName").fill("");
  await shows("lastNameKana", "");
  await walk.compose("lastName", "やまd", "");
  await walk.compose("lastName", "やまだ", lastName);
  await shows("lastNameKana", kana.lastNameKana);
  await field("firstNameKana").fill("ハナヨ");
  await field("firstName").fill("");
  await walk.compose("firstName", "はなこ", firstName);
  await shows("firstName", firstName);
  assert.equal(await walk.shown("firstNameKana"), "ハナヨ");
}

for (const [licence, evidence, verdict] of [
  ["jp-licence", "visual", "approved"],
  ["jp-licence", "machine_readable", "needs_review"],
  ["us-licence", "machine_readable", "approved"],
]) {
  test(`a ${licence} under ${evidence} is ${verdict}`, { timeout: 600_000 }, async () => {
    const { language, kana } = licences[licence];
    const tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--webhook", receiver.url, "--accept-specimens",
      "--evidence", evidence);
    const customer = await receiver.customer(honnin, tenant);
    const page = await browser.phone({ language });
    const stumbles = [];
    const seen = async (step) => {
      if (["05-check", "07-details"].includes(step)) stumbles.push(...(await look(page, `${licence}-${evidence}-${step}`)));
    };
    const walk = new Walk(page, { seen });
    await walk.start(customer.link);
    await walk.consent();
    await walk.choose("driving_license");
    for (const side of ["front", "back"]) {
      await walk.photograph(picture(`${licence}-${side}`));
      await walk.accept();
    }
    await walk.at("/capture/details");
    await walk.legible();
    // The readings are correct; omitted items are typed from the card.
    const typed = { ...kana };
    for (const name of ["lastName", "firstName", "birthDate", "address"]) {
      const read = await walk.shown(name);
      if (read === "") typed[name] = stage[licence][name];
      else assert.equal(folded(read), folded(stage[licence][name]), name);
    }
    if (language === "ja") await composed(walk, stage[licence], typed);
    await walk.confirm(typed);
    await walk.selfie();
    await walk.submit();
    await walk.result();
    await customer.event(verdict === "approved" ? "verification.approved" : "verification.needs_review");
    const { outcome } = await customer.result();
    assert.equal(outcome.verdict, verdict, JSON.stringify(outcome));
    assert.equal(outcome.source, "automatic");
    assert.deepEqual(outcome.reasons, verdict === "approved" ? [] : ["document_authenticity_unknown"]);
    assert.deepEqual(stumbles, []);
    assert.deepEqual(page.noise, []);
    await customer.stop();
  });
}
