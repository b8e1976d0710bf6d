// An end user who follows the pages: every step is found by roles and labels, as a person would.
import { filledIn, look } from "./browser.mjs";
import { LONGEST } from "./places.mjs";
import { picture } from "./scene.mjs";
import { filmed, sit } from "./sitter.mjs";

export class Applicant {
  /** What axe found on the screens so far. */
  stumbles = [];

  /** `who` stands in front of the selfie camera: `owner` or `stranger`. `name` names the pictures of the screens. */
  constructor(browser, page, { who = "owner", name = null, camera = true } = {}) {
    Object.assign(this, { browser, page, who, name, camera });
  }

  async #look(step) {
    if (this.name) this.stumbles.push(...(await look(this.page, `${this.name}-${step}`)));
  }

  async #press(name) {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  async #at(path) {
    await this.page.waitForURL((url) => url.pathname === path);
  }

  async start(link) {
    await this.page.goto(link);
    await this.#look("0-start");
    await this.#press("Start");
    await this.#at("/capture/consent");
  }

  async consent() {
    await this.#look("1-consent");
    await this.#press("I agree");
    await this.#at("/capture/document-type");
  }

  async choosePassport() {
    await this.#look("2-choose");
    await this.page.getByRole("radio", { name: /^Passport/ }).check();
    await this.#press("Continue");
    await this.#at("/capture/document");
  }

  async photographDocument() {
    await this.#look("4-document");
    if (this.camera) {
      this.browser.show("passport");
      await this.#press("Open the camera");
      if (this.name) await this.page.getByRole("dialog").waitFor();
      // The shutter is released automatically when the picture is good.
      await filmed(this.page, "/capture/check");
    } else {
      await this.page.getByLabel("Photo of the document").setInputFiles(picture("passport"));
      await this.#press("Send the photo");
      await this.#at("/capture/check");
    }
  }

  async acceptPhoto() {
    await this.#look("5-check");
    await this.page.getByRole("button", { name: /use this photo|Use it anyway/ }).click();
    await this.#at("/capture/details");
  }

  /** Confirms what was read; `changes` are typed over it, by label. */
  async details(changes = {}) {
    // The form is empty while the picture is still being read; a patient user reloads it.
    await this.legible();
    const address = this.page.getByLabel("Address");
    if ((await address.inputValue()) === "") await address.fill("7 Harbour Street, Amaurot 100-0001");
    for (const [label, text] of Object.entries(changes)) await this.page.getByLabel(label).fill(text);
    await this.#look("7-details");
    const read = {
      lastName: await this.page.getByLabel("Family name").inputValue(),
      firstName: await this.page.getByLabel("Given names").inputValue(),
      birthDate: await this.#birthDate(),
    };
    await this.#press("Continue");
    // On to the selfie, or to the end if the plan has none.
    await this.page.waitForURL((url) => ["/capture/selfie", "/capture/submit"].includes(url.pathname));
    return read;
  }

  /** Waits until the details are filled in from the pictures. */
  async legible() {
    await filledIn(this.page, this.page.getByLabel("Family name"));
  }

  /** The date of birth in its three fields, as `YYYY-MM-DD`. */
  async #birthDate() {
    const part = async (label) => (await this.page.getByLabel(label, { exact: true }).inputValue()).padStart(2, "0");
    return `${await part("Year")}-${await part("Month")}-${await part("Day")}`;
  }

  async selfie() {
    await this.#look("9-selfie");
    if (this.camera) {
      await sit(this.page, this.who);
      await this.#press("Open the camera");
      await filmed(this.page, "/capture/submit");
    } else {
      const words = await this.page.locator("main").innerText();
      const side = /to your left/.test(words) ? "left" : "right";
      await this.page.getByLabel("Photo 1").setInputFiles(picture(`${this.who}-straight`));
      await this.page.getByLabel("Photo 2").setInputFiles(picture(`${this.who}-${side}`));
      await this.#press("Send the photos");
      await this.#at("/capture/submit");
    }
  }

  async submit() {
    await this.#look("10-submit");
    await this.#press("Submit");
    await this.#at("/capture/result");
  }

  /** The heading of the result, once there is one: the page that waits for it reloads by itself. */
  async result() {
    await this.page.locator(".mark:not(.busy)").waitFor({ timeout: LONGEST });
    await this.#look("11-result");
    return this.page.getByRole("heading", { level: 1 }).innerText();
  }

  /** Everything up to the result; answers its heading. */
  async goThrough(link, changes = {}) {
    await this.start(link);
    await this.consent();
    await this.choosePassport();
    await this.photographDocument();
    await this.acceptPhoto();
    this.read = await this.details(changes);
    await this.selfie();
    await this.submit();
    return this.result();
  }
}
