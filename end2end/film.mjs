// The moving picture of the README: `node end2end/film.mjs`, after `cargo xtask build`. It needs the package gifenc
// (`npm install --no-save gifenc` in this folder).
//
// A real verification: on the left the phone, on the right what the customer's server sends and receives meanwhile.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Applicant } from "./lib/applicant.mjs";
import { Browser } from "./lib/browser.mjs";
import { Receiver } from "./lib/customer.mjs";
import { Honnin } from "./lib/honnin.mjs";
import { root } from "./lib/places.mjs";
import { scene } from "./lib/scene.mjs";
import gifenc from "gifenc";

const file = join(root, "docs/images/verification.gif");
const stage = { width: 840, height: 560 };
/** Milliseconds that a picture stays. */
const pause = 1_500;

await scene();
const receiver = await Receiver.make();
const honnin = await Honnin.start("film", receiver.settings);
const browser = await Browser.open();
const frames = [];
const lines = [];
try {
  const tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--webhook", receiver.url, "--accept-specimens");
  const customer = await receiver.customer(honnin, tenant);
  const page = await browser.phone({ viewport: { width: 390, height: 780 } });
  const shot = async (...news) => {
    lines.push(...news);
    // The faces are of photographs that are no part of the repository.
    await page.locator("main img").evaluateAll((images) => images.forEach((image) => (image.style.filter = "blur(4px)")));
    frames.push({ phone: (await page.screenshot()).toString("base64"), lines: [...lines] });
  };
  const applicant = new Applicant(browser, page);
  await page.goto(customer.link);
  await shot("POST /v1/verification-sessions", "201 created", "  verificationUrl: https://verify.example/v/…");
  await applicant.start(customer.link);
  await shot("  status: collecting");
  await applicant.consent();
  await page.getByRole("radio", { name: /^Passport/ }).check();
  await shot();
  await applicant.choosePassport();
  await applicant.photographDocument();
  await page.getByRole("button", { name: /use this photo|Use it anyway/ }).waitFor();
  await shot();
  await applicant.acceptPhoto();
  await applicant.details();
  await shot();
  await applicant.selfie();
  await shot();
  await applicant.submit();
  await applicant.result();
  await customer.event("verification.approved");
  const { outcome } = await customer.result();
  await shot("", "POST https://shop.example/hooks", "  webhook-signature: v1,…", "  type: verification.approved");
  await shot("", "GET /v1/verification-sessions/vs_…", "200", `  verdict: ${outcome.verdict}`, `  livenessConfidence: ${outcome.checks.selfie.livenessConfidence.toFixed(2)}`,
    `  faceMatchConfidence: ${outcome.checks.selfie.faceMatchConfidence.toFixed(2)}`);
  await encode(frames);
} finally {
  await browser.close();
  await honnin.stop();
  await receiver.remove();
}

/** The frames as the GIF. */
async function encode(frames) {
  const context = await browser.chromium.newContext({ viewport: stage });
  const page = await context.newPage();
  const gif = gifenc.GIFEncoder();
  for (const [at, frame] of frames.entries()) {
    await page.setContent(`<style>
      body{margin:0;display:flex;gap:28px;padding:22px 28px;box-sizing:border-box;width:${stage.width}px;height:${stage.height}px;background:#e7ecf5}
      img{height:516px;border-radius:22px;border:5px solid #111827;box-sizing:border-box}
      pre{flex:1;margin:0;padding:22px;border-radius:14px;background:#111827;color:#e5e7eb;font:14px/1.65 ui-monospace,monospace;white-space:pre-wrap;overflow:hidden}
      b{color:#93c5fd}i{color:#86efac;font-style:normal}</style>
      <img src="data:image/png;base64,${frame.phone}"><pre>${frame.lines.map(paint).join("\n")}</pre>`);
    await page.locator("img").evaluate((image) => image.decode());
    const png = (await page.screenshot()).toString("base64");
    const pixels = await page.evaluate(async (png) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const bytes = canvas.getImageData(0, 0, image.width, image.height).data;
      let text = "";
      for (let from = 0; from < bytes.length; from += 0x8000) text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
      return btoa(text);
    }, png);
    const rgba = new Uint8Array(Buffer.from(pixels, "base64"));
    const palette = gifenc.quantize(rgba, 128);
    const last = at === frames.length - 1;
    gif.writeFrame(gifenc.applyPalette(rgba, palette), stage.width, stage.height, { palette, delay: last ? 3 * pause : pause });
  }
  gif.finish();
  writeFileSync(file, gif.bytes());
  console.log(`${file}: ${frames.length} pictures, ${Math.round(gif.bytes().length / 1024)} KB`);
}

/** A line of the customer's server, in colour. */
function paint(line) {
  const text = line.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  if (/^(POST|GET)/.test(text)) return `<b>${text}</b>`;
  return /approved|^20/.test(text) ? `<i>${text}</i>` : text;
}
