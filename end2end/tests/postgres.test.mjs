// Two nodes on one PostgreSQL: what one began, the other finishes. `scripts/with-postgres npm test` runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Applicant } from "../lib/applicant.mjs";
import { Browser } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { run } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";

const server = process.env.HONNIN_TEST_POSTGRES;
let browser, first, second, receiver, tenant;

before(async () => {
  assert.ok(server, "HONNIN_TEST_POSTGRES names no server: run this by scripts/with-postgres");
  await scene();
  receiver = await Receiver.make();
  const at = (name) => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  for (const name of ["honnin", "honnin_keys"]) await run("psql", [server, "-qc", `CREATE DATABASE ${name}`]);
  const settings = { ...receiver.settings, HONNIN_DATABASE_URL: at("honnin"), HONNIN_DATABASE_KEYS_URL: at("honnin_keys") };
  first = await Honnin.start("postgres-1", settings);
  // The master key and the pictures are in the first one's folder.
  second = await Honnin.start("postgres-2", { ...settings, HONNIN_DATA_DIR: first.data });
  tenant = await first.tenant("Harbour Bank", "--steps", "document", "--webhook", receiver.url, "--accept-specimens");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await second?.stop();
  await first?.stop();
  await receiver?.remove();
});

test("a verification begun on one node is finished on another after the first has died", { timeout: 900_000 }, async () => {
  // The customer talks to the second node throughout.
  const customer = await receiver.customer(second, tenant);
  const applicant = new Applicant(browser, await browser.phone({ scripts: false }), { camera: false });
  await applicant.start(customer.link.replace(second.base, first.base));
  await applicant.consent();
  await applicant.choosePassport();
  await applicant.photographDocument();
  await applicant.acceptPhoto();
  await applicant.details();
  await first.kill();
  await applicant.page.goto(`${second.base}/capture`);
  await applicant.submit();
  assert.equal(await applicant.result(), "Your identity is confirmed");
  await customer.event("verification.approved");
  const detail = await customer.result();
  assert.equal(detail.outcome.verdict, "approved");
  assert.equal(detail.documentOcr.documentType, "passport");
  await customer.ended;
});
