// A passport presented as a driving licence: the phone asks for another photo and says what is wrong; if the user insists, the
// session goes to a reviewer. With scripts the page updates by itself, without them when it is reloaded or the photo is about
// to be used.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Receiver } from "../lib/customer.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST, UNHURRIED, until } from "../lib/places.mjs";
import { scene } from "../lib/scene.mjs";
import { Walk } from "../lib/walk.mjs";

let browser, honnin, receiver, tenant;

before(async () => {
  await scene();
  receiver = await Receiver.make();
  honnin = await Honnin.start("wrong-document", receiver.settings);
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--webhook", receiver.url, "--accept-specimens");
  browser = await Browser.open();
});

afterEach(() => browser?.leave());

after(async () => {
  await browser?.close();
  await honnin?.stop();
  await receiver?.remove();
});

const words = {
  en: { passport: "This looks like another document: Passport. You chose: Driving licence.", checking: /reviewing your details/ },
  ja: { passport: "パスポートが写っているようです。運転免許証を撮影してください。", checking: /確認/ },
};

for (const [language, scripts] of [["en", true], ["ja", false]]) {
  test(`a passport shown as a licence is asked for again (${language}, scripts ${scripts})`, { timeout: 900_000 }, async () => {
    const customer = await receiver.customer(honnin, tenant);
    const page = await browser.phone({ language, scripts });
    const stumbles = [];
    const walk = new Walk(page);
    await walk.start(customer.link);
    await walk.consent();
    await walk.choose("driving_license");
    const problem = page.locator(".cause p").first();
    for (const side of ["front", "back"]) {
      await walk.photograph();
      await walk.at("/capture/check");
      // Without scripts the page says so once it is reloaded.
      const said = async () => (await problem.count()) > 0 || (await page.reload(), false);
      if (!scripts) await until("the problem", said, { within: LONGEST, every: UNHURRIED });
      await problem.waitFor({ timeout: LONGEST });
      await page.waitForLoadState();
      assert.equal(await problem.innerText(), words[language].passport, side);
      assert.equal(new URL(page.url()).pathname, "/capture/check");
      assert.equal(await page.locator('a[href="/capture/document-type"]').count(), 1);
      // The retry comes first.
      assert.equal(await page.locator("form[action='/capture/check'] button").first().getAttribute("value"), "again");
      if (scripts) stumbles.push(...(await look(page, `wrong-document-${language}-${side}`)));
      await page.locator("button[value=use]").click();
      await page.waitForURL((url) => url.pathname !== "/capture/check");
    }
    // Nothing on it shows a Japanese licence, so no kana are asked for.
    await walk.details();
    // Files, since a person looks at the session anyway.
    await walk.selfie({ files: true });
    await walk.submit();
    await walk.result();
    assert.match(await page.locator("h1").innerText(), words[language].checking);
    await customer.event("verification.needs_review");
    const detail = await customer.result();
    assert.equal(detail.outcome.verdict, "needs_review");
    assert.notEqual(detail.outcome.checks.document.authenticity, "authentic");
    assert.ok(detail.outcome.reasons.includes("document_type_mismatch"), detail.outcome.reasons.join());
    assert.deepEqual(stumbles, []);
    assert.deepEqual(page.noise, []);
    await customer.stop();
  });
}
