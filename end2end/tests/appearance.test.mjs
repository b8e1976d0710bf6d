// Every screen in both languages, checked by axe. Nothing may overflow the window.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { LONGEST, UNHURRIED, until } from "../lib/places.mjs";
import { allPicturesAreShown, password, signIn } from "../lib/reviewer.mjs";
import { scene } from "../lib/scene.mjs";
import { pass, persist, pictured, shutter } from "../lib/sitter.mjs";
import { Walk } from "../lib/walk.mjs";

const long = { timeout: 900_000 };
let browser, honnin, tenant, folder, notAPicture;

before(async () => {
  await scene();
  folder = mkdtempSync(join(tmpdir(), "honnin-screens-"));
  notAPicture = join(folder, "letter.jpg");
  writeFileSync(notAPicture, "Dear Sir or Madam");
  honnin = await Honnin.start("screens");
  tenant = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--callback", "https://bank.example/back", "--accept-specimens");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const link = async (body = {}, { server = honnin, owner = tenant } = {}) =>
  (await server.api(owner.apiKey, "POST", "/v1/verification-sessions", body)).body.verificationUrl;

/** A function that looks at a page, and what is wrong with its pages so far. */
function watcher(prefix) {
  const wrong = [];
  const seen = new Set();
  const shoot = async (page, name) => {
    if (seen.has(name)) return;
    seen.add(name);
    wrong.push(...(await look(page, `${prefix}-${name}`)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) wrong.push(`${prefix}-${name}: ${wide} px stand out of the window`);
  };
  return { shoot, wrong };
}

/** The words of headings that do not fit into one line. For languages with spaces. */
const brokenWords = (page) => page.evaluate(() => [...document.querySelectorAll("main :is(h1, h2, b)")].flatMap((heading) => {
  const text = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT).nextNode();
  return [...(text?.data.matchAll(/\S+/g) ?? [])].filter(({ 0: word, index }) => {
    const range = new Range();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  }).map(([word]) => word);
}));

const languages = ["en", "ja"];
const switching = { en: "Switch camera", ja: "カメラを切り替える" };
const noPicture = { en: "The camera is not showing a picture", ja: "カメラの映像が表示されません" };
const timeIsUp = { en: "Time is up", ja: "時間切れです" };
const starting = { en: "Starting the camera", ja: "カメラを起動しています" };
/** What the server says of an upload that waits, in `app/src/text/live.rs`. */
const queued = { en: "We are very busy. You are number 3 in the queue.", ja: "混み合っています。順番は3番目です。" };

for (const language of languages) {
  test(`the whole flow in ${language}, with its mistakes`, long, async () => {
    const { shoot, wrong } = watcher(language);
    const page = await browser.phone({ language });
    const walk = new Walk(page, { seen: (step) => shoot(page, step) });
    await walk.start(await link({ callbackUrl: "https://bank.example/back" }));
    await walk.consent();
    await page.locator("main form button").first().click();
    await shoot(page, "02-choose-nothing");
    await walk.choose();
    await walk.seen("04-document");
    await page.locator("#plain input[type=file]").setInputFiles(notAPicture);
    // As a browser without scripts does, which gets a page that says what is wrong.
    await page.locator("#plain form").evaluate((form) => form.submit());
    await page.locator(".error-summary").waitFor();
    await shoot(page, "04-document-refused");
    await page.goto(`${honnin.base}/capture/another-device`);
    await shoot(page, "12-another-device");
    await page.locator("main form button").click();
    await page.locator("#link").waitFor();
    await shoot(page, "12-another-device-link");
    await page.goto(`${honnin.base}/capture`);
    await walk.photograph();
    await walk.accept();
    await page.locator("#lastName").waitFor();
    await page.goto(`${honnin.base}/capture/document-type`);
    await shoot(page, "02-choose-again");
    await page.goto(`${honnin.base}/capture/details`);
    for (const name of ["lastName", "firstName", "birthDay", "birthMonth", "birthYear", "address"]) await page.locator(`#${name}`).fill("");
    await page.locator("main form button[type=submit]").first().click();
    // The browser moves the focus when it first draws the page.
    await page.locator(".error-summary:focus").waitFor();
    await shoot(page, "07-details-wrong");
    await page.goto(`${honnin.base}/capture/details`);
    // Until everything is read, the page asks for it, in vain without a connection.
    await walk.legible();
    await page.locator("#address").fill("1 Harbour Street");
    await page.context().setOffline(true);
    await page.locator("main form button[type=submit]").first().click();
    await page.locator("[data-offline]").waitFor();
    await shoot(page, "07-details-offline");
    assert.equal(await page.locator("#address").inputValue(), "1 Harbour Street");
    await page.context().setOffline(false);
    await page.locator("[data-offline]").waitFor({ state: "hidden" });
    await walk.details();
    await page.locator("#cannot summary").click();
    await shoot(page, "09-selfie-cannot");
    await page.reload();
    // By files: beside another browser, the camera has to begin again and again. It is tried where it is alone.
    await walk.selfie({ files: true });
    await walk.submit();
    await walk.result();
    assert.deepEqual(wrong, []);
    assert.deepEqual(page.noise.filter((line) => !/status of 422/.test(line)), []);
  });

  test(`other documents, refusals and ends in ${language}`, long, async () => {
    const { shoot, wrong } = watcher(language);
    const open = await browser.phone({ language });
    const once = await link();
    await new Walk(open).start(once);
    const other = await browser.phone({ language });
    await other.goto(once);
    await shoot(other, "20-link-used");
    await other.goto(`${honnin.base}/capture`);
    await shoot(other, "20-no-session");
    await other.goto(`${honnin.base}/nowhere`);
    await shoot(other, "20-nothing-here");
    const walk = new Walk(open);
    await walk.consent();
    for (const kind of ["my_number_card", "driving_license"]) {
      await open.goto(`${honnin.base}/capture/document-type`);
      await walk.choose(kind);
      await shoot(open, `04-document-${kind}`);
    }
    // The page is made anew once the picture has been read; not while it is looked at.
    let read;
    const looked = new Promise((resolve) => { read = resolve; });
    await open.route("**/capture/check/found*", async (route) => { await looked; await route.continue(); });
    await walk.photograph();
    await open.waitForURL((url) => url.pathname === "/capture/check");
    await shoot(open, "05-check-card");
    read();
    // The picture is a passport's page: the page says so once it has been read, and leaves the choice to the user.
    await open.locator("p.other").waitFor({ timeout: LONGEST });
    await shoot(open, "05-check-other-kind");
    await open.locator("button[value=use]").click();
    await open.waitForURL((url) => url.pathname === "/capture/document");
    await shoot(open, "06-document-back");
    const declined = await browser.phone({ language });
    await new Walk(declined).start(await link({ callbackUrl: "https://bank.example/back" }));
    await declined.locator("button[value=decline]").click();
    await shoot(declined, "01-consent-declining");
    await declined.locator("button[name=confirmed]").click();
    await declined.waitForURL((url) => url.pathname === "/capture/result");
    await shoot(declined, "11-result-declined");
    assert.deepEqual(wrong, []);
  });

  test(`the camera and each way it can fail in ${language}`, long, async (test) => {
    // A separate browser, because the effects of another page on the camera can outlast that page.
    const browser = await Browser.open();
    test.after(() => browser.close());
    const { shoot, wrong } = watcher(language);
    const page = await browser.phone({ language });
    const walk = new Walk(page);
    await walk.start(await link());
    await walk.consent();
    await walk.choose();
    // A face is not a document: the shutter is not released automatically.
    browser.show("owner");
    const open = async () => {
      await page.locator("html[data-islands=awake]").waitFor();
      await page.locator(".camera > button").click();
    };
    // Lets this many seconds pass, once the camera's pictures are looked at.
    const passWhileLooking = async (seconds) => {
      await page.waitForFunction((first) => {
        const hint = document.querySelector(".stage-hint").textContent;
        return (hint !== "" && hint !== first) || document.querySelector(".stage-panel:not([hidden])");
      }, starting[language]);
      await pass(page, seconds);
    };
    // The manual button appears after eight seconds without a document.
    const byHand = async () => {
      await open();
      await passWhileLooking(8);
      return shutter(page);
    };
    const fails = async (name, broken, { step = "document", after = 0 } = {}) => {
      await page.goto(`${honnin.base}/capture/${step}`);
      await page.evaluate(broken);
      await open();
      if (after > 0) await passWhileLooking(after);
      await page.locator(".stage-panel:not([hidden])").waitFor();
      await shoot(page, `30-camera-${name}`);
    };
    const throws = (name) => `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "${name}"); }`;
    await fails("denied", throws("NotAllowedError"));
    await fails("missing", throws("NotFoundError"));
    await fails("busy", throws("NotReadableError"));
    await fails("in-app", 'Object.defineProperty(navigator, "mediaDevices", { value: undefined })');
    const black = `navigator.mediaDevices.getUserMedia = async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
      const context = canvas.getContext("2d");
      setInterval(() => context.fillRect(0, 0, 640, 480), 50);
      return canvas.captureStream(20);
    }`;
    await fails("black", black, { after: 5 });
    // A camera that opens but never delivers a picture. The page waits ten seconds for it, a tenth as long here.
    await fails("silent", `{
      const later = setTimeout;
      window.setTimeout = (then, ms) => later(then, ms / 10);
      navigator.mediaDevices.getUserMedia = async () => document.createElement("canvas").captureStream(0);
    }`);
    // A phone with three cameras at the back, of which the browser chooses one. What it does depends on no language.
    if (language === "en") {
      await page.goto(`${honnin.base}/capture/document`);
      await page.evaluate(() => {
        const lenses = ["wide", "tele", "macro"].map((name, at) => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
          const context = canvas.getContext("2d");
          setInterval(() => {
            context.fillStyle = `hsl(${120 * at} 60% ${40 + 20 * Math.random()}%)`;
            context.fillRect(0, 0, 640, 480);
          }, 50);
          const [track] = canvas.captureStream(20).getVideoTracks();
          return { name, track, id: track.getSettings().deviceId };
        });
        navigator.mediaDevices.enumerateDevices = async () =>
          [{ kind: "audioinput", deviceId: "ear" }, ...lenses.map(({ id }) => ({ kind: "videoinput", deviceId: id }))];
        navigator.mediaDevices.getUserMedia = async ({ video }) => {
          const chosen = lenses.find(({ id }) => id === video.deviceId?.ideal) ?? lenses[1];
          document.documentElement.dataset.camera = chosen.name;
          return new MediaStream([chosen.track.clone()]);
        };
      });
      await open();
      const another = page.getByRole("button", { name: switching[language] });
      // It is there while a camera is open.
      const ready = () => persist(page, "the camera's picture", () => another.isVisible());
      await ready();
      for (const next of ["macro", "wide", "tele"]) {
        // A camera whose picture is late on a busy machine is taken for one that has none, and the first is opened again.
        await until(`the camera ${next}`, async () => {
          await another.click();
          await ready();
          return (await page.locator("html").getAttribute("data-camera")) === next;
        }, { within: LONGEST });
      }
      await shoot(page, "04-camera-another");
    }
    await page.goto(`${honnin.base}/capture/document`);
    await byHand();
    assert.equal(await page.getByRole("button", { name: switching[language] }).count(), 0, "there is one camera");
    await shoot(page, "04-camera-document");
    // Enlarged to 200 %, the hint covers nothing that can be pressed.
    await page.setViewportSize({ width: 195, height: 422 });
    const [other, hint, button] = await page.evaluate(() => [".button.over", ".stage-hint", ".shutter"].map((name) => {
      const { top, bottom } = document.querySelector(name).getBoundingClientRect();
      return { top, bottom };
    }));
    assert.ok(other.bottom <= hint.top && hint.bottom <= button.top, JSON.stringify({ other, hint, button }));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.locator(".stage-panel:not([hidden])").waitFor();
    await shoot(page, "30-camera-paused");
    for (const [name, answer] of [
      ["offline", (route) => route.abort("internetdisconnected")],
      // While it is being sent, the page shows the picture taken, not the black of a camera that is off.
      ["server-busy", async (route) => {
        await page.locator(".still:not([hidden])").waitFor();
        // Longer than the test looks at the panel.
        await route.fulfill({ status: 503, contentType: "application/json", headers: { "retry-after": "120" }, body: "{}" });
      }],
    ]) {
      await page.goto(`${honnin.base}/capture/document`);
      await page.route("**/capture/pictures", answer);
      await (await byHand()).click();
      await page.locator(".stage-panel:not([hidden])").waitFor();
      await shoot(page, `30-camera-${name}`);
      await page.unroute("**/capture/pictures");
    }
    // While the server takes no more pictures, the page says where in the queue these are.
    await page.goto(`${honnin.base}/capture/document`);
    let free;
    const busy = new Promise((resolve) => { free = resolve; });
    await page.route("**/capture/pictures", async (route) => { await busy; await route.continue(); });
    // What the server itself says, before anything is sent on.
    let said;
    await page.route("**/capture/queue", async (route) => {
      said ??= route.fetch().then((answer) => answer.json());
      assert.deepEqual(await said, { sentence: null }, "nothing has reached the server");
      await route.fulfill({ json: { sentence: queued[language] } });
    });
    await (await byHand()).click();
    await page.locator(".stage-hint", { hasText: queued[language] }).waitFor();
    await shoot(page, "30-camera-queue");
    free();
    // The stored picture is sent automatically as soon as possible.
    await page.waitForURL((url) => url.pathname === "/capture/check");
    // Once it was read, the page says that it shows no document, and takes it from whoever has seen that.
    while (new URL(page.url()).pathname === "/capture/check") {
      await Promise.all([page.waitForEvent("load"), page.locator("button[value=use]").click()]);
    }
    await walk.at("/capture/details");
    await walk.details({ lastName: "Watanabe", firstName: "Hanako", birthDate: "1990-02-28" }, { legible: false });
    await walk.at("/capture/selfie");
    await fails("selfie-black", black, { step: "selfie", after: 5 });
    assert.equal(await page.locator(".stage-panel h2").innerText(), noPicture[language]);
    await page.goto(`${honnin.base}/capture/selfie`);
    // A passport does not turn its head.
    browser.show("passport");
    await open();
    await pictured(page);
    await shoot(page, "09-camera-selfie");
    // The server gives a face most of a minute to get ready; here it is over with the second of these answers.
    const over = { run: "any", keep: "no", hint: "too_slow", sentence: "", progress: 0 };
    let frames = 0;
    await page.route("**/capture/selfie/live", (route) => (frames++ === 0 ? route.continue() : route.fulfill({ json: over })));
    await persist(page, "the end of its time", () => page.locator(".stage-panel h2", { hasText: timeIsUp[language] }).isVisible());
    await shoot(page, "30-camera-selfie-slow");
    assert.deepEqual(wrong, []);
  });

  test(`a page warns before it closes in ${language}, and is given more time`, long, async () => {
    const { shoot, wrong } = watcher(language);
    const page = await browser.phone({ language });
    await page.clock.install();
    await new Walk(page).start(await link());
    const warning = page.locator("[data-closing]");
    await page.clock.runFor(23 * 60_000);
    assert.equal(await warning.isVisible(), false);
    await page.clock.runFor(90_000);
    await warning.waitFor({ state: "visible" });
    await shoot(page, "13-closing");
    await Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/capture/more-time")), warning.locator("button").click()]);
    await warning.waitFor({ state: "hidden" });
    await page.evaluate(() => document.querySelector("[data-closing-last]").showModal());
    await shoot(page, "13-closing-last");
    assert.deepEqual(wrong, []);
  });

  test(`a desktop shows a code in ${language} and learns that the phone has opened it`, long, async () => {
    const { shoot, wrong } = watcher(language);
    const desktop = await browser.desktop({ language });
    const url = await link();
    await desktop.goto(url);
    await shoot(desktop, "00-start-desk");
    const phone = await browser.phone({ language });
    await new Walk(phone).start(url);
    await desktop.locator("[data-follow] h1").waitFor({ state: "visible" });
    await shoot(desktop, "00-start-opened");
    const app = await browser.phone({ language });
    await app.addInitScript('Object.defineProperty(navigator, "mediaDevices", { value: undefined })');
    await app.goto(await link());
    await app.locator("[data-no-camera]").waitFor({ state: "visible" });
    await shoot(app, "00-start-in-app");
    assert.deepEqual(wrong, []);
  });
}

test("a computer shows the code in a small window too, and says that its link may have run out", long, async () => {
  const { shoot, wrong } = watcher("desk-small");
  const desktop = await browser.desktop({ viewport: { width: 640, height: 400 } });
  let close;
  const closed = new Promise((resolve) => { close = resolve; });
  await desktop.route("**/opened", async (route) => { await closed; await route.fulfill({ json: { open: false } }); });
  await desktop.goto(await link());
  await desktop.locator(".qr .qr-code").waitFor({ state: "visible" });
  await shoot(desktop, "00-start");
  close();
  await desktop.getByText("The link has been opened or can no longer be used. You can close this page.").waitFor({ state: "visible" });
  assert.deepEqual(wrong, []);
});

test("a link of one's own that runs out leaves its maker where they are, and one that is opened elsewhere does not", long, async () => {
  const page = await browser.phone();
  const walk = new Walk(page);
  await walk.start(await link());
  await walk.consent();
  const make = async () => {
    await page.goto(`${honnin.base}/capture/another-device`);
    await page.getByRole("button", { name: "Show the link" }).click();
    return page.locator("#link").inputValue();
  };
  let runOut;
  const ranOut = new Promise((resolve) => { runOut = resolve; });
  await page.route("**/opened", async (route) => { await ranOut; await route.fulfill({ json: { open: false } }); });
  await make();
  runOut();
  await page.getByRole("button", { name: "Show the link" }).waitFor();
  await page.getByRole("link", { name: "Continue here" }).click();
  await walk.at("/capture/document-type");
  await page.unroute("**/opened");
  const url = await make();
  const other = await browser.phone();
  await other.goto(url);
  await other.locator('form[action^="/v/"] button').click();
  await other.waitForURL((url) => url.pathname === "/capture/document-type");
  await page.getByRole("heading", { name: "Continue where you opened the link" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Continue here" }).isVisible(), false);
});

test("an app that does not allow copying shows the link, selected", long, async () => {
  const { shoot, wrong } = watcher("in-app");
  const userAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36";
  const app = await browser.phone({ userAgent });
  await app.addInitScript(() => {
    const writeText = async () => { throw new DOMException("no", "NotAllowedError"); };
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
    Document.prototype.execCommand = () => false;
  });
  const url = await link();
  await app.goto(url);
  const field = app.getByLabel("Your link");
  assert.equal(await field.isVisible(), false);
  await app.getByRole("button", { name: "Copy the link" }).click();
  await app.getByText("Select the link and copy it by hand").waitFor({ state: "visible" });
  assert.equal(await field.isVisible(), true);
  const selected = await field.evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
  assert.equal(selected, url);
  await shoot(app, "00-start-not-copied");
  assert.deepEqual(wrong, []);
});

test("small, dark and long", long, async () => {
  const long = "Kyōdō Shinyō Kumiai Rengōkai of the Northern Prefectures & Islands, Limited";
  const owner = await honnin.tenant(long, "--steps", "document,selfie", "--accept-specimens");
  for (const [name, options] of [
    ["small", { viewport: { width: 320, height: 568 }, language: "ja" }],
    ["dark", { colorScheme: "dark" }],
    ["large-type", { viewport: { width: 195, height: 422 } }],
  ]) {
    const { shoot, wrong } = watcher(name);
    const page = await browser.phone(options);
    const seen = async (step) => {
      await shoot(page, step);
      if (name === "large-type") wrong.push(...(await brokenWords(page)).map((word) => `${name}-${step}: ${word} is broken`));
    };
    const walk = new Walk(page, { seen });
    await walk.start(await link({}, { owner }));
    await walk.consent();
    await walk.choose();
    await walk.photograph();
    await walk.accept();
    await walk.details();
    await seen("09-selfie");
    await page.goto(`${honnin.base}/capture/another-device`);
    await page.locator("main form button").click();
    await shoot(page, "12-another-device-link");
    assert.deepEqual(wrong, []);
  }
});

test("on paper a page says what it says, without what is pressed", long, async () => {
  const page = await browser.phone();
  const walk = new Walk(page);
  await walk.start(await link());
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("heading", { level: 1 }).isVisible(), true);
  assert.equal(await page.locator(".languages").isVisible(), false);
  assert.equal(await page.locator("button[value=accept]").isVisible(), false);
});

test("results that only people or time bring", long, async () => {
  const { page: desktop } = await signIn(browser, honnin, tenant, { email: "ria@bank.example" });
  const rejected = await browser.phone();
  const { body: session } = await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", {});
  await new Walk(rejected).through(session.verificationUrl, { lastName: "Watanabe" }, { files: true });
  const watchers = Object.fromEntries(languages.map((language) => [language, watcher(language)]));
  await watchers.en.shoot(rejected, "11-result-review");
  const heading = () => rejected.getByRole("heading", { level: 1 }).innerText();
  const reviewing = await heading();
  await desktop.goto(`${honnin.base}/admin/review/${session.id}`);
  await Promise.all([desktop.waitForEvent("load"), desktop.getByRole("button", { name: /^Reject/ }).click()]);
  // It takes effect when it can no longer be undone; until then, results that nothing brings.
  const idle = await Honnin.start("screens-idle", { HONNIN_WORKER_EMBEDDED: "false" });
  try {
    const owner = await idle.tenant("Harbour Bank", "--steps", "selfie");
    // At the same time, since the server waits for each of them.
    await Promise.all(languages.map(async (language) => {
      const page = await browser.phone({ language });
      const walk = new Walk(page);
      await walk.start(await link({}, { server: idle, owner }));
      await walk.consent();
      await walk.selfie({ files: true });
      await walk.submit();
      await watchers[language].shoot(page, "11-result-waiting");
      // It asks for the result by itself. Without a connection it says so, and stays.
      const told = page.locator("[data-offline]");
      await page.evaluate(() => { window.stays = true; });
      await page.context().setOffline(true);
      await told.waitFor();
      await page.locator("[data-again]").click();
      assert.ok(await told.isVisible());
      const asked = page.waitForResponse((response) => response.url().endsWith("/capture/result"));
      await page.context().setOffline(false);
      await Promise.all([asked, told.waitFor({ state: "hidden" })]);
      assert.ok(await page.evaluate(() => window.stays), "the page was loaded again");
    }));
  } finally {
    await idle.stop();
  }
  const decided = async () => (await rejected.reload(), (await heading()) !== reviewing);
  await until("the rejection", decided, { within: LONGEST, every: UNHURRIED });
  await watchers.en.shoot(rejected, "11-result-rejected");
  const japanese = await browser.phone({ language: "ja" });
  await japanese.context().addCookies(await rejected.context().cookies());
  await japanese.goto(`${honnin.base}/capture/result`);
  await watchers.ja.shoot(japanese, "11-result-rejected");
  assert.deepEqual(languages.flatMap((language) => watchers[language].wrong), []);
});

test("the console, empty", long, async () => {
  const owner = await honnin.tenant("Empty Bank", "--steps", "document");
  const { shoot, wrong } = watcher("console-empty");
  const { page } = await signIn(browser, honnin, owner, { email: "eve@bank.example" });
  for (const name of ["", "sessions", "sessions/new", "review", "webhooks", "webhooks/check", "webhooks/secrets", "keys", "people", "audit", "account", "settings"]) {
    await page.goto(`${honnin.base}/admin/${name}`.replace(/\/$/, ""));
    await shoot(page, name.replace("/", "-") || "overview");
  }
  assert.deepEqual(wrong, []);
});

test("the search for duplicates: its setting, and the question on the consent page", long, async () => {
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie", "--accept-specimens");
  const { shoot, wrong } = watcher("duplicates");
  const { page: desktop } = await signIn(browser, honnin, owner, { email: "dee@bank.example" });
  await desktop.goto(`${honnin.base}/admin/settings/decision`);
  await desktop.getByLabel("Search for each face among those approved before").check();
  await desktop.locator("#decision").getByRole("button", { name: "Save" }).click();
  await desktop.getByText("Saved.").waitFor();
  assert.ok(await desktop.getByLabel("Search for each face among those approved before").isChecked());
  await desktop.locator("#decision").scrollIntoViewIfNeeded();
  await shoot(desktop, "setting");
  for (const language of languages) {
    const page = await browser.phone({ language });
    const walk = new Walk(page);
    await walk.start(await link({}, { owner }));
    assert.ok(!(await page.locator("input[name=faceSearch]").isChecked()), "nobody is asked with the answer given");
    await shoot(page, `consent-${language}`);
    await page.locator("input[name=faceSearch]").check();
    await walk.consent();
    assert.equal(new URL(page.url()).pathname, "/capture/document-type");
  }
  assert.deepEqual(wrong, []);
});

test("the console with work in it, and its mistakes", long, async () => {
  const { shoot, wrong } = watcher("console");
  const { page } = await signIn(browser, honnin, tenant, { email: "rex@bank.example" });
  const guest = await browser.desktop();
  await guest.goto(`${honnin.base}/admin/sign-in`);
  await guest.getByLabel("E-mail address").fill("nobody@bank.example");
  await guest.getByLabel("Password").fill("not the password");
  await guest.getByRole("button", { name: "Sign in", exact: true }).click();
  await shoot(guest, "sign-in-wrong");
  const { body } = await honnin.api(tenant.apiKey, "POST", "/v1/verification-sessions", { metadata: { order: "A-2041" } });
  await new Walk(await browser.phone()).through(body.verificationUrl, { lastName: "Watanabe" }, { files: true });
  await page.goto(`${honnin.base}/admin`);
  await shoot(page, "overview");
  await page.goto(`${honnin.base}/admin/review`);
  await shoot(page, "queue");
  // Others may wait as well, and be reserved for whoever has decided the one before.
  const session = body.id;
  await page.locator(`tbody a[href="/admin/review/${session}"]`).first().click();
  await page.waitForURL((url) => url.pathname === `/admin/review/${session}`);
  await allPicturesAreShown(page);
  await shoot(page, "case");
  await page.keyboard.press("c");
  await shoot(page, "case-compare");
  await page.keyboard.press("c");
  await page.keyboard.press("?");
  await shoot(page, "case-keys");
  await page.keyboard.press("Escape");
  const { page: second } = await signIn(browser, honnin, tenant, { email: "sam@bank.example", role: "reviewer" });
  await second.goto(`${honnin.base}/admin/review/${session}`);
  await shoot(second, "case-held");
  await page.locator("#note").fill("x".repeat(1990));
  await page.getByText("10 of 2,000 characters left").waitFor();
  // As a browser would send it that knows no limit.
  await page.locator("#note").evaluate((note) => note.removeAttribute("maxlength"));
  await page.locator("#note").fill("x".repeat(2001));
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Approve/ }).click()]);
  await shoot(page, "case-wrong");
  await page.locator("#note").fill("The photo of the page is cut off at the top; the new one must show all of it.");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Ask again/ }).click()]);
  await shoot(page, "ask-again");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Ask again/ }).click()]);
  await shoot(page, "asked-again");
  await page.goto(`${honnin.base}/admin/sessions`);
  await shoot(page, "sessions");
  await page.goto(`${honnin.base}/admin/sessions?status=failed&metadata=nothing`);
  await shoot(page, "sessions-none");
  await page.goto(`${honnin.base}/admin/sessions/${session}`);
  await shoot(page, "session");
  await second.goto(`${honnin.base}/admin/keys`);
  await shoot(second, "forbidden");
  await page.goto(`${honnin.base}/admin/sessions/vs_0`);
  await shoot(page, "nothing-here");
  await page.goto(`${honnin.base}/admin/sessions/${session}/erase`);
  await page.locator("#word").fill("erase");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Erase now" }).click()]);
  await shoot(page, "erase-wrong");
  await page.locator("#word").fill("ERASE");
  await page.locator("#password").fill(password);
  await Promise.all([page.waitForURL((url) => url.pathname === `/admin/sessions/${session}`), page.getByRole("button", { name: "Erase now" }).click()]);
  const erased = async () => (await page.getByText("Personal data erased").count()) > 0 || (await page.reload(), false);
  await until("the erasure", erased, { within: LONGEST, every: UNHURRIED });
  await shoot(page, "session-erased");
  await page.goto(`${honnin.base}/admin/account`);
  await page.getByRole("button", { name: "Change the password" }).click();
  await shoot(page, "account-wrong");
  await page.goto(`${honnin.base}/admin/audit`);
  await shoot(page, "audit");
  assert.deepEqual(wrong, []);
});
