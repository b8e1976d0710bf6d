// The console in a real browser: second factors with a virtual authenticator, decisions that can be undone, settings that are
// looked at twice.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { Browser, look } from "../lib/browser.mjs";
import { Honnin } from "../lib/honnin.mjs";
import { until } from "../lib/places.mjs";
import { password, signIn } from "../lib/reviewer.mjs";

const long = { timeout: 900_000 };
let browser, honnin;

before(async () => {
  honnin = await Honnin.start("console");
  browser = await Browser.open();
});

after(async () => {
  await browser?.close();
  await honnin?.stop();
});

/** Takes pictures on a wide and a narrow window; answers what axe found and what stands out of the window. */
async function shoot(page, name) {
  const wrong = [];
  for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["narrow", { width: 390, height: 844 }]]) {
    await page.setViewportSize(viewport);
    wrong.push(...(await look(page, `powers-${name}-${size}`)));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) wrong.push(`${name}-${size}: ${over} px stand out of the window`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return wrong;
}

/** What an authenticator app shows (RFC 6238). */
function code(secret, at = Date.now()) {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = mac[19] & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/**
 * The words in Latin letters that a page says, in text and in attributes, shown or not. Ids, codes, keys of the keyboard and what people have
 * typed are none of its own, and some words have no other spelling.
 */
function latinWords(page) {
  return page.evaluate(() => {
    const usual = new Set(["Honnin", "UTC", "API", "Webhook", "Webhooks", "ID", "IP", "URL", "CSV", "MRZ", "JSON", "Esc", "Enter"]);
    const foreign = "script, noscript, style, code, pre, kbd, .mono, .value, td > .soft, time, [lang=en]";
    const words = (text) => (text.replace(/\bvs_[0-9a-f…]+/g, "").match(/[A-Za-z]{2,}/g) ?? []).filter((word) => !usual.has(word));
    const found = words(document.title);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (!node.parentElement.closest(foreign)) found.push(...words(node.data));
    }
    for (const element of document.body.querySelectorAll("[aria-label], [alt], [title], [placeholder], [data-label]")) {
      if (element.closest(foreign)) continue;
      for (const name of ["aria-label", "alt", "title", "placeholder", "data-label"]) found.push(...words(element.getAttribute(name) ?? ""));
    }
    return [...new Set(found)];
  });
}

async function signOut(page) {
  await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await page.waitForURL((url) => url.pathname === "/admin/sign-in");
}

test("a passkey signs in without a password and after one", long, async () => {
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
  const { page, stumbles } = await signIn(browser, honnin, owner, { email: "petra@bank.example", seen: look });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
  await page.goto(`${honnin.base}/admin/account`);
  await page.getByLabel(/Name of a new passkey/).fill("Work laptop");
  // As after ten minutes: she confirms first, before the device makes a passkey, and finds the name that she has typed.
  const confirm = { status: 303, headers: { location: `${honnin.base}/admin/confirm?next=%2Fadmin%2Faccount` } };
  await page.route("**/admin/account/passkeys/challenge", (route) => route.fulfill(confirm), { times: 1 });
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.waitForURL((url) => url.pathname === "/admin/confirm");
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL((url) => url.pathname === "/admin/account");
  assert.equal(await page.getByLabel(/Name of a new passkey/).inputValue(), "Work laptop");
  assert.equal((await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length, 0);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  assert.equal(await page.locator(".recovery-codes li").count(), 10);
  stumbles.push(...(await shoot(page, "account")));
  await signOut(page);
  // Alone.
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL((url) => url.pathname === "/admin");
  await signOut(page);
  stumbles.push(...(await shoot(page, "sign-in")));
  // As a second factor.
  await page.getByLabel("E-mail address").fill("petra@bank.example");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/admin/sign-in/code");
  stumbles.push(...(await shoot(page, "code")));
  assert.equal((await page.goto(`${honnin.base}/admin/sessions`)).url(), `${honnin.base}/admin/sign-in?next=%2Fadmin%2Fsessions`);
  await page.goto(`${honnin.base}/admin/sign-in/code`);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL((url) => url.pathname === "/admin");
  // Somebody whose session ends while they fill in a form that a passkey sends.
  await page.goto(`${honnin.base}/admin/confirm`);
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("alert").filter({ hasText: "You are no longer signed in." }).waitFor();
  // Somebody who does not verify themselves at the device.
  await page.goto(`${honnin.base}/admin/sign-in`);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByText("Your device did not respond").waitFor();
  assert.deepEqual(stumbles, []);
});

test("an authenticator app is set up by its key, and its codes sign in", long, async () => {
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
  const { page, stumbles } = await signIn(browser, honnin, owner, { email: "tom@bank.example" });
  await page.goto(`${honnin.base}/admin/account`);
  await page.getByRole("link", { name: "Set up an authenticator app" }).click();
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  const secret = await page.locator(".secret-text code").innerText();
  stumbles.push(...(await shoot(page, "authenticator")));
  await page.getByLabel("Code that the app shows").fill(String((Number(code(secret)) + 500_000) % 1_000_000).padStart(6, "0"));
  await page.getByRole("button", { name: "Finish" }).click();
  await page.getByText("The code is incorrect").first().waitFor();
  assert.equal(await page.locator(".secret-text code").innerText(), secret, "the same key again");
  await page.getByLabel("Code that the app shows").fill(code(secret));
  await page.getByRole("button", { name: "Finish" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  const recovery = await page.locator(".recovery-codes li").first().innerText();
  stumbles.push(...(await shoot(page, "recovery-codes")));
  await signOut(page);
  await page.getByLabel("E-mail address").fill("tom@bank.example");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/admin/sign-in/code");
  // The code after the one that was used; half a minute of difference is accepted.
  await page.getByLabel("Code").fill(code(secret, Date.now() + 30_000));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/admin");
  await signOut(page);
  await page.getByLabel("E-mail address").fill("tom@bank.example");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Code").fill(recovery);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/admin");
  assert.deepEqual(stumbles, []);
});

test("a decision is undone within its ten seconds", long, async () => {
  const owner = await honnin.tenant("Sandbox Bank", "--steps", "document,selfie", "--sandbox");
  const { page, stumbles } = await signIn(browser, honnin, owner, { email: "una@bank.example" });
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const { id } = await call("/v1/verification-sessions", {});
  const { id: unopened } = await call("/v1/verification-sessions", {});
  await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
  await page.goto(`${honnin.base}/admin/review/${id}`);
  const ticked = page.locator('input[name="reason"]:checked');
  assert.ok((await ticked.count()) > 0, "the system's reasons");
  stumbles.push(...(await shoot(page, "case")));
  for (const box of await ticked.all()) await box.uncheck();
  await page.getByRole("button", { name: /^Reject/ }).click();
  await page.getByText("Choose at least one reason").first().waitFor();
  await page.goto(`${honnin.base}/admin/review/${id}`);
  await page.getByRole("button", { name: /^Reject/ }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone.").waitFor();
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.waitForURL((url) => url.pathname === "/admin/review");
  await page.goto(`${honnin.base}/admin/review/${id}`);
  await page.locator("[data-left]").waitFor();
  // This one is not undone: there is time to look at it.
  stumbles.push(...(await look(page, "powers-undo")));
  await page.goto(`${honnin.base}/admin/sessions/${unopened}`);
  await page.getByRole("button", { name: "Reissue the link" }).click();
  await page.getByRole("heading", { name: "The link for the user" }).waitFor();
  // The script takes it away when its time is over, and leaves alone what else is announced.
  await page.locator("[data-undo]").waitFor({ state: "detached" });
  await page.getByRole("img", { name: "The link as a QR code" }).waitFor();
  assert.deepEqual(stumbles, []);
});

test("a reviewer whose browser asks for Japanese reads no English on the way to a rejection and back", long, async () => {
  const owner = await honnin.tenant("みなと銀行", "--steps", "document,selfie", "--sandbox");
  const reviewer = { email: "hana@bank.example", name: "港 花", role: "reviewer", language: "ja", seen: look };
  const { page, stumbles } = await signIn(browser, honnin, owner, reviewer);
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const { id } = await call("/v1/verification-sessions", {});
  await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
  const english = [];
  const read = async (name, { named = "", seen = shoot } = {}) => {
    assert.equal(await page.locator("html").getAttribute("lang"), "ja");
    english.push(...(await latinWords(page)).filter((word) => !named.includes(word)).map((word) => `${name}: ${word}`));
    stumbles.push(...(await seen(page, `ja-${name}`)));
  };
  const toldOfRejection = page.locator("[data-undo] [role=status]", { hasText: /^不承認としました。結果は\d+秒後にサーバーへ通知されます。$/ });
  await page.goto(`${honnin.base}/admin`);
  await read("overview");
  await page.getByRole("link", { name: /^審査/ }).first().click();
  await page.getByRole("heading", { name: "審査", exact: true }).waitFor();
  await read("queue");
  await page.locator("[data-case]").click();
  await page.locator("[data-ruling]").waitFor();
  await read("case");
  for (const box of await page.locator('input[name="reason"]:checked').all()) await box.uncheck();
  await page.getByRole("button", { name: /^不承認/ }).click();
  await page.getByText("不承認の理由を1つ以上選択してください。").first().waitFor();
  await read("case-without-reason");
  await page.getByLabel("書類の真正性が不明").check();
  await page.getByRole("button", { name: /^不承認/ }).click();
  await toldOfRejection.waitFor();
  // Looked at below, when it need not be undone any more.
  await read("rejected", { seen: async () => [] });
  await page.getByRole("button", { name: "取り消す" }).click();
  await page.getByText("判定を取り消しました。").waitFor();
  await read("undone");
  await page.getByRole("button", { name: /^不承認/ }).click();
  await toldOfRejection.waitFor();
  stumbles.push(...(await look(page, "ja-rejected")));
  await page.goto(`${honnin.base}/admin/sessions/${id}`);
  await read("session", { named: "first key" });
  await page.goto(`${honnin.base}/admin/sessions`);
  await read("sessions");
  await page.locator('form[action="/admin/sign-out"]').getByRole("button").click();
  await page.waitForURL((url) => url.pathname === "/admin/sign-in");
  await read("sign-in");
  assert.deepEqual(english, []);
  assert.deepEqual(stumbles, []);
});

test("a doubtful case is decided with the keyboard alone, and the next one follows", long, async () => {
  const owner = await honnin.tenant("Keyboard Bank", "--steps", "document,selfie", "--sandbox");
  const { page, stumbles } = await signIn(browser, honnin, owner, { email: "kei@bank.example", role: "reviewer" });
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const cases = [];
  for (let count = 0; count < 3; count++) {
    const { id } = await call("/v1/verification-sessions", {});
    await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
    cases.push(id);
  }
  const { keyboard } = page;
  await page.goto(`${honnin.base}/admin/review`);
  // A filter, which stays from here on.
  const filter = page.getByRole("link", { name: /^Document not shown to be genuine 3/ });
  await filter.focus();
  await keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("reason") === "document_authenticity_unknown");
  stumbles.push(...(await look(page, "keyboard-queue")));
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  stumbles.push(...(await look(page, "keyboard-queue-help")));
  await keyboard.press("Escape");
  for (const key of ["j", "j", "k"]) await keyboard.press(key);
  await keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[0]}`);
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  stumbles.push(...(await look(page, "keyboard-help")));
  await keyboard.press("Escape");
  await keyboard.press("j");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[1]}`);
  await keyboard.press("k");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[0]}`);
  const reason = page.locator("#reason-document_authenticity_unknown");
  assert.equal(await reason.isChecked(), true, "the system's reason");
  for (const ticked of [false, true]) {
    await keyboard.press("5");
    assert.equal(await reason.isChecked(), ticked);
  }
  // What has the focus is not under the bar with the decisions (WCAG 2.2, 2.4.11).
  const covered = await page.evaluate(() => {
    const bar = document.querySelector(".rulings");
    const isCovered = (element) => {
      element.focus();
      return element.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1;
    };
    const inside = [...document.querySelectorAll(".decide :is(a, input, textarea, summary)")].filter((element) => element.checkVisibility());
    const names = inside.filter(isCovered).map((element) => element.id || element.textContent);
    document.activeElement.blur();
    return names;
  });
  assert.deepEqual(covered, []);
  const isBegun = await page.evaluate(() => {
    const [side, reasons] = [".case-side", "#reasons"].map((part) => document.querySelector(part));
    const above = () => reasons.getBoundingClientRect().top - side.getBoundingClientRect().top;
    for (const fold of reasons.querySelectorAll("details")) fold.open = true;
    side.scrollTop += above();
    reasons.focus({ preventScroll: true });
    const isBegun = above() > -2;
    for (const fold of reasons.querySelectorAll("details")) fold.open = false;
    reasons.blur();
    return isBegun;
  });
  assert.ok(isBegun, "what is too tall begins in sight");
  await keyboard.press("n");
  await keyboard.type("jax, and no shortcut");
  // Escape cancels a conversion into Japanese and does not leave the note; nor do other keys of a conversion do anything.
  const note = page.getByRole("textbox", { name: "Note" });
  for (const conversion of [{ isComposing: true }, { keyCode: 229 }]) {
    await note.evaluate((field, conversion) => {
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, ...conversion }));
    }, conversion);
    assert.ok(await note.evaluate((field) => field === document.activeElement), JSON.stringify(conversion));
  }
  await keyboard.press("Escape");
  assert.equal(await note.inputValue(), "jax, and no shortcut");
  // Without pictures there is nothing to compare.
  for (const key of ["c", "s"]) await keyboard.press(key);
  await keyboard.press("x");
  stumbles.push(...(await look(page, "keyboard-case")));
  await keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[1]}`);
  assert.equal(new URL(page.url()).searchParams.get("reason"), "document_authenticity_unknown", "the filter stays");
  await page.locator("[data-left]").waitFor();
  // The former decision can be undone from here.
  await keyboard.press("u");
  await keyboard.press("Enter");
  // Until the page is loaded, nobody hears a key.
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[0]}`);
  await page.getByText("Undone.").waitFor();
  await keyboard.press("x");
  await keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[1]}`);
  await page.locator("[data-undo]").waitFor({ state: "detached" });
  const { body } = await until("the decision takes effect", async () => {
    const answer = await honnin.api(owner.apiKey, "GET", `/v1/verification-sessions/${cases[0]}`);
    return answer.body.status !== "reviewing" && answer;
  });
  assert.deepEqual([body.status, body.outcome.verdict, body.outcome.reasons], ["completed", "rejected", ["document_authenticity_unknown"]]);
  await keyboard.press("a");
  await keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[2]}`);
  assert.deepEqual(page.noise.filter((line) => line.includes("TypeError")), []);
  assert.deepEqual(stumbles, []);
});

test("a held key acts once, a double click decides one case, and a decision is undone from a reason too", long, async () => {
  const owner = await honnin.tenant("Double Bank", "--steps", "document,selfie", "--sandbox");
  const { page } = await signIn(browser, honnin, owner, { email: "dai@bank.example", role: "reviewer" });
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const cases = [];
  for (let count = 0; count < 2; count++) {
    const { id } = await call("/v1/verification-sessions", {});
    await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
    cases.push(id);
  }
  const { keyboard } = page;
  await page.goto(`${honnin.base}/admin/review/${cases[0]}`);
  const reason = page.locator("#reason-document_authenticity_unknown");
  assert.equal(await reason.isChecked(), true, "the system's reason");
  // The second time, without a release in between, it is held.
  for (let count = 0; count < 2; count++) await keyboard.down("5");
  await keyboard.up("5");
  assert.equal(await reason.isChecked(), false);
  // The second click of a double click on the case before.
  await page.evaluate(() => {
    const { fetch } = globalThis;
    globalThis.asked = 0;
    globalThis.fetch = (...given) => {
      globalThis.asked += 1;
      return fetch(...given);
    };
  });
  const approve = page.getByRole("button", { name: /^Approve/ });
  await approve.dispatchEvent("click", { detail: 2 });
  assert.equal(await page.evaluate(() => globalThis.asked), 0, "nothing is sent");
  await approve.click();
  await page.waitForURL((url) => url.pathname === `/admin/review/${cases[1]}`);
  await page.locator("[data-left]").waitFor();
  await reason.focus();
  await keyboard.press("u");
  await page.locator("[data-undo] button:focus").waitFor();
});

test("whoever goes on to another case is asked first if a note would be lost, and taking the case loses none", long, async () => {
  const owner = await honnin.tenant("Note Bank", "--steps", "document,selfie", "--sandbox");
  const { page } = await signIn(browser, honnin, owner, { email: "noa@bank.example", role: "reviewer" });
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const cases = [];
  for (let count = 0; count < 2; count++) {
    const { id } = await call("/v1/verification-sessions", {});
    await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
    cases.push(id);
  }
  const { keyboard } = page;
  const asked = [];
  let mayLeave = false;
  page.on("dialog", async (dialog) => {
    asked.push(dialog.message());
    await (mayLeave ? dialog.accept() : dialog.dismiss());
  });
  const questions = (count) => until("the question", () => asked.length === count);
  const note = page.locator("#note");
  const at = (id) => page.waitForURL((url) => url.pathname === `/admin/review/${id}`);
  await page.goto(`${honnin.base}/admin/review/${cases[0]}`);
  await note.fill("Not finished.");
  await keyboard.press("Escape");
  await keyboard.press("j");
  await questions(1);
  assert.match(asked[0], /not saved/);
  await page.getByRole("button", { name: "Assign to me", exact: true }).click();
  await page.getByText("The case is assigned to you.").waitFor();
  assert.equal(await note.inputValue(), "Not finished.");
  // It is still saved nowhere.
  await page.getByRole("button", { name: "Next case", exact: true }).click();
  await questions(2);
  mayLeave = true;
  await keyboard.press("j");
  await at(cases[1]);
  await questions(3);
  // A reason counts as well, until it is as it was.
  const reason = page.locator('input[name="reason"]:checked').first();
  const id = await reason.getAttribute("id");
  await page.locator(`#${id}`).uncheck();
  await page.locator(`#${id}`).check();
  await keyboard.press("k");
  await at(cases[0]);
  assert.equal(asked.length, 3, "nothing would have been lost");
  assert.equal(await note.inputValue(), "");
  // Enter on a reason presses no button.
  await page.locator('input[name="reason"]:checked').first().focus();
  await keyboard.press("Enter");
  await keyboard.press("j");
  await at(cases[1]);
  await page.goto(`${honnin.base}/admin/review/${cases[0]}`);
  await page.getByRole("button", { name: "Unassign", exact: true }).waitFor();
});

test("a note outlives a network that is gone, a session that has ended and a link that was followed", long, async () => {
  const owner = await honnin.tenant("Patient Bank", "--steps", "document,selfie", "--sandbox");
  const email = "piet@bank.example";
  const { page } = await signIn(browser, honnin, owner, { email, role: "reviewer" });
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const { id } = await call("/v1/verification-sessions", {});
  await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome: "needs_review" });
  await page.goto(`${honnin.base}/admin/review/${id}`);
  const { keyboard } = page;
  const note = page.locator("#note");
  await keyboard.press("n");
  await keyboard.type("Seen on the register.");
  await keyboard.press("Escape");
  const approve = page.getByRole("button", { name: /^Approve/ });
  const [away, out] = ["away", "signed-out"].map((name) => page.locator(`[data-${name}]`));
  await page.route("**/hold*", (route) => route.fulfill({ status: 429 }));
  await approve.click();
  await away.waitFor();
  await page.unroute("**/hold*");
  await page.context().setOffline(true);
  await approve.click();
  await away.waitFor();
  await page.context().setOffline(false);
  const stumbles = await look(page, "case-away");
  const other = await page.context().newPage();
  await other.goto(`${honnin.base}/admin`);
  await signOut(other);
  await approve.click();
  await out.waitFor();
  stumbles.push(...(await look(page, "case-signed-out")));
  assert.deepEqual(stumbles, []);
  assert.equal(await away.isVisible(), false);
  // The browser asks before it leaves for another page.
  const asked = [];
  page.on("dialog", async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  await page.getByRole("link", { name: "Session page" }).focus();
  await keyboard.press("Enter");
  await until("the question", () => asked.length === 1);
  assert.deepEqual(asked, ["beforeunload"]);
  assert.equal(await note.inputValue(), "Seen on the register.");
  await other.locator("#email").fill(email);
  await other.locator("#password").fill(password);
  await other.locator('form[action="/admin/sign-in"]').getByRole("button").click();
  await other.waitForURL((url) => url.pathname === "/admin");
  await approve.click();
  await page.waitForURL((url) => url.pathname === "/admin/review");
  assert.equal(asked.length, 1, "nobody is asked on the way that saves it");
  const { body } = await until("the decision takes effect", async () => {
    const answer = await honnin.api(owner.apiKey, "GET", `/v1/verification-sessions/${id}`);
    return answer.body.status !== "reviewing" && answer;
  });
  assert.equal(body.outcome.review.note, "Seen on the register.");
});

test("what weakens a decision is looked at twice", long, async () => {
  const owner = await honnin.tenant("Harbour Bank", "--steps", "document,selfie");
  const { page, stumbles } = await signIn(browser, honnin, owner, { email: "wim@bank.example" });
  await page.goto(`${honnin.base}/admin/settings`);
  stumbles.push(...(await shoot(page, "settings")));
  await page.getByRole("link", { name: /^Decision/ }).click();
  await page.getByLabel("Liveness, acceptance threshold").fill("0.5");
  await page.locator("#decision").getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Check this change" }).waitFor();
  stumbles.push(...(await shoot(page, "second-look-decision")));
  await page.getByRole("button", { name: "Change it" }).click();
  assert.equal(await page.getByLabel("Liveness, acceptance threshold").inputValue(), "0.5");
  await page.locator("#decision").getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save the change" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("link", { name: "Settings" }).last().click();
  await page.getByText("liveness threshold 0.50").waitFor();
  await page.getByRole("link", { name: /^Lifetimes/ }).click();
  await page.getByLabel("Personal data retention (days)").fill("10");
  await page.locator("#lifetimes").getByRole("button", { name: "Save" }).click();
  stumbles.push(...(await shoot(page, "second-look-retention")));
  await page.goto(`${honnin.base}/admin/settings/addresses`);
  await page.getByLabel("Networks that may call the API").fill("192.0.2.0/24");
  await page.locator("#addresses").getByRole("button", { name: "Save" }).click();
  await page.getByText("your address: refused").waitFor();
  stumbles.push(...(await shoot(page, "second-look-addresses")));
  await page.goto(`${honnin.base}/admin/audit`);
  await page.getByText(/Liveness, acceptance threshold 0.6 → 0.5/).waitFor();
  stumbles.push(...(await shoot(page, "audit")));
  assert.deepEqual(stumbles, []);
});
