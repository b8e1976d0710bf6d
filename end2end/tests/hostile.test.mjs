// Uploads that no honest user sends: each is refused with a message, and the server's memory stays small.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import zlib from "node:zlib";
import { Applicant } from "../lib/applicant.mjs";
import { Browser } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { picture, scene } from "../lib/scene.mjs";

/** What refusing one upload may add to the server's memory at most: far less than the picture would need. */
const BOUND = 96 * 1024 * 1024;

let browser, honnin, tenant, page, folder;

before(async () => {
  await scene();
  folder = mkdtempSync(join(tmpdir(), "honnin-hostile-"));
  for (const [, file, bytes] of hostile) writeFileSync(join(folder, file), bytes());
  honnin = await Honnin.start("hostile");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document", "--accept-specimens");
  browser = await Browser.open();
  page = await browser.phone({ scripts: false });
  const { body } = await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions");
  const applicant = new Applicant(browser, page);
  await applicant.start(body.verificationUrl);
  await applicant.consent();
  await applicant.choosePassport();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A PNG whose header promises this many pixels and whose data really unpacks to them, all of one colour. */
function largePng(width, height) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(checksum(body), 4 + body.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0], 8); // One bit a pixel, grey.
  const rows = zlib.deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

/** CRC-32 as PNG wants it; Node has it only from version 22.2 on. */
function checksum(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const passport = () => readFileSync(picture("passport"));
const hostile = [
  ["a picture of 30,000 by 30,000 pixels", "huge.png", () => largePng(30_000, 30_000), /resolution is too high\. Set the camera to 12 megapixels/],
  ["a JPEG that was cut off", "cut.jpg", () => passport().subarray(0, 40_000), /damaged or was not transferred completely/],
  ["a text file named .jpg", "words.jpg", () => Buffer.from("This is no picture.\n".repeat(500)), /not a JPEG, PNG or WebP/],
  ["a file of 50 MB", "heavy.jpg", () => Buffer.concat([passport(), Buffer.alloc(50_000_000, 7)]), /smaller than 10 MB\. Set the camera to 12 megapixels/],
];

for (const [what, file, , sentence] of hostile) {
  test(`${what} is refused in words`, { timeout: 900_000 }, async () => {
    const before = honnin.memory();
    await page.getByLabel("Photo of the document").setInputFiles(join(folder, file));
    await page.getByRole("button", { name: "Send the photo" }).click();
    await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
    const grown = honnin.memory().highest - before.now;
    assert.ok(grown < BOUND, `memory grew by ${Math.round(grown / 1048576)} MiB`);
  });
}

test("after all of them the honest picture is taken", { timeout: 900_000 }, async () => {
  await page.getByLabel("Photo of the document").setInputFiles(picture("passport"));
  await page.getByRole("button", { name: "Send the photo" }).click();
  await page.waitForURL((url) => url.pathname === "/capture/check");
  assert.equal((await fetch(`${honnin.base}/healthz`)).status, 200);
});
