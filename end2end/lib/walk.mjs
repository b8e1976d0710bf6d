// An end user who does not read: finds every step by the names of its form, so that it works in any language.
import { filledIn } from "./browser.mjs";
import { LONGEST } from "./places.mjs";
import { picture } from "./scene.mjs";
import { filmed, sit } from "./sitter.mjs";

export class Walk {
  /** `seen(step)` is called on every page, before anything is done on it. */
  constructor(page, { who = "owner", seen = async () => {} } = {}) {
    Object.assign(this, { page, who, seen });
  }

  at(path) {
    return this.page.waitForURL((url) => url.pathname === path, { timeout: LONGEST });
  }

  async start(link) {
    await this.page.goto(link);
    await this.seen("00-start");
    await this.page.locator('form[action^="/v/"] button').click();
    await this.at("/capture/consent");
  }

  async consent() {
    await this.seen("01-consent");
    await this.page.locator("button[value=accept]").click();
    await this.page.waitForURL((url) => url.pathname !== "/capture/consent");
  }

  async choose(kind = "passport") {
    await this.seen("02-choose");
    const choice = this.page.locator(`input[value=${kind}]`);
    if (!(await choice.isVisible())) await this.page.locator(".choices summary").click();
    await choice.check();
    await this.page.locator("main form button").first().click();
    await this.at("/capture/document");
  }

  /** Sends a file by the plain form. */
  async photograph(file = picture("passport")) {
    await this.seen("04-document");
    await this.unfold("plain");
    await this.page.locator("#plain input[type=file]").setInputFiles(file);
    await this.page.locator("#plain button[type=submit]").click();
  }

  async accept() {
    await this.at("/capture/check");
    await this.seen("05-check");
    await this.page.locator("button[value=use]").click();
    await this.page.waitForURL((url) => url.pathname !== "/capture/check", { timeout: LONGEST });
  }

  /** Waits for what was read, unless there is nothing to read, and confirms it; `changes` are typed over it, by field. */
  async details(changes = {}, { legible = true } = {}) {
    if (legible) await this.legible();
    await this.confirm({ address: "7 Harbour Street, Amaurot 100-0001", ...changes });
  }

  /** Waits until the details are filled in from the pictures. */
  async legible() {
    await filledIn(this.page, this.page.locator("#birthYear"));
  }

  /** The value of a field of the details; the date of birth as `YYYY-MM-DD`. */
  async shown(name) {
    const value = (id) => this.page.locator(`#${id}`).inputValue();
    if (name !== "birthDate") return value(name);
    const [year, month, day] = [await value("birthYear"), await value("birthMonth"), await value("birthDay")];
    return year && `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  }

  /** Types a name as an input method does: its reading in kana, which then becomes `written`. */
  async compose(name, reading, written) {
    const keyboard = await this.page.context().newCDPSession(this.page);
    await this.page.locator(`#${name}`).focus();
    for (let length = 1; length <= reading.length; length += 1) {
      const text = reading.slice(0, length);
      await keyboard.send("Input.imeSetComposition", { text, selectionStart: length, selectionEnd: length });
    }
    await keyboard.send("Input.imeSetComposition", { text: written, selectionStart: written.length, selectionEnd: written.length });
    await keyboard.send("Input.insertText", { text: written });
    await keyboard.detach();
  }

  /** Types `changes` over the details, by field, and sends them. */
  async confirm(changes) {
    for (const [name, text] of Object.entries(inParts(changes))) await this.page.locator(`#${name}`).fill(text);
    await this.seen("07-details");
    await this.page.locator("main form button.primary").click();
    await this.page.waitForURL((url) => url.pathname !== "/capture/details");
  }

  /** Takes the selfie: by the camera where there are scripts, unless `files` are chosen instead, which goes to review. */
  async selfie({ files: byFiles = !this.page.scripts } = {}) {
    await this.seen("09-selfie");
    if (!byFiles) {
      await sit(this.page, this.who);
      await this.page.locator(".camera > button").click();
      return filmed(this.page, "/capture/submit");
    }
    await this.unfold("plain");
    const files = this.page.locator("#plain input[type=file]");
    const side = /(left|左)/.test(await this.page.locator("#plain label").nth(1).innerText()) ? "left" : "right";
    await files.nth(0).setInputFiles(picture(`${this.who}-straight`));
    await files.nth(1).setInputFiles(picture(`${this.who}-${side}`));
    await this.page.locator("#plain button[type=submit]").click();
    await this.at("/capture/submit");
  }

  /** From the last page back to the selfie. */
  async retakeSelfie() {
    await this.page.locator('form[action="/capture/submit"] button[value=again]').click();
    await this.at("/capture/selfie");
  }

  async submit() {
    await this.seen("10-submit");
    await this.page.locator('form[action="/capture/submit"] button.primary').click();
    await this.at("/capture/result");
  }

  /** Waits until there is a result: the page that waits for it reloads by itself. */
  async result() {
    await this.page.locator(".mark:not(.busy)").waitFor({ timeout: LONGEST });
    await this.seen("11-result");
  }

  /** Opens a fold. The camera folds its plain form away when it wakes, so the fold is looked at after that. */
  async unfold(id) {
    if (this.page.scripts) await this.page.locator("html[data-islands=awake]").waitFor();
    const fold = this.page.locator(`#${id}`);
    if ((await fold.getAttribute("open")) === null) await fold.locator("summary").click();
  }

  /** Everything from the link to the result; `how` the selfie is taken. */
  async through(link, changes, how = {}) {
    await this.start(link);
    await this.consent();
    await this.choose();
    await this.photograph();
    await this.accept();
    await this.details(changes);
    await this.selfie(how);
    await this.submit();
    await this.result();
  }
}

/** A date of birth is typed in three fields. */
function inParts({ birthDate, ...others }) {
  if (birthDate === undefined) return others;
  const [birthYear, birthMonth, birthDay] = birthDate.split("-");
  return { ...others, birthYear, birthMonth, birthDay };
}
