// A reviewer of the tenant in the console.
import { look } from "./browser.mjs";

export const password = "a harbour at four in the morning";

/**
 * Invites a person to the tenant, chooses a password by the link, and signs her in with it. `seen` is called on the pages on the way, and answers what
 * is wrong with each; they are the same for everybody, so few tests look at them.
 */
export async function signIn(browser, honnin, tenant, { role = "admin", email = "rei@bank.example", name = "Rei Reviewer", language = "en", operator = false, seen = async () => [] } = {}) {
  const words = ["--tenant", tenant.tenantId, "--email", email, "--name", name, "--role", role, ...(operator ? ["--operator"] : [])];
  const [link] = (await honnin.command("user", "invite", ...words)).match(/http\S+/);
  const page = await browser.desktop({ language });
  // By address and name: the words are those of the language.
  const form = (path) => page.locator(`form[action^="${path}"]`);
  await page.goto(link);
  const stumbles = await seen(page, "console-invitation");
  await form("/admin/invitation/").locator("#password").fill(password);
  await form("/admin/invitation/").getByRole("button").click();
  await page.waitForURL((url) => url.pathname === "/admin");
  await form("/admin/sign-out").getByRole("button").click();
  await page.waitForURL((url) => url.pathname === "/admin/sign-in");
  stumbles.push(...(await seen(page, "console-sign-in")));
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await page.locator('form[action="/admin/sign-in"]').getByRole("button").click();
  await page.waitForURL((url) => url.pathname === "/admin" || url.pathname === "/admin/");
  return { page, stumbles };
}

/** Opens a waiting case and approves it; answers what axe found on the way. */
export async function approve(page, honnin, session, note) {
  await page.goto(`${honnin.base}/admin/review`);
  const stumbles = await look(page, "console-queue");
  await page.locator(`a[href="/admin/review/${session}"]`).last().click();
  await page.waitForURL((url) => url.pathname === `/admin/review/${session}`);
  await allPicturesAreShown(page);
  stumbles.push(...(await look(page, "console-case")));
  await page.getByRole("textbox", { name: "Note" }).fill(note);
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: /^Approve/ }).click()]);
  return stumbles;
}

/** Every picture must be displayed before a case is decided; throws with those that are not. */
export async function allPicturesAreShown(page) {
  const loaded = page.waitForFunction(() => [...document.querySelectorAll("main img")].every((image) => image.naturalWidth > 0));
  await loaded.catch(async (cause) => {
    const missing = await page.locator("main img").evaluateAll((images) => images.filter((image) => image.naturalWidth === 0).map((image) => image.src));
    throw new Error(`not shown: ${missing.join(" ")}`, { cause });
  });
}

/** The pages of the console that need nothing done on them. */
export async function lookAround(page, honnin, paths) {
  const stumbles = [];
  for (const [name, path] of paths) {
    const answer = await page.goto(honnin.base + path);
    if (!answer.ok()) stumbles.push(`${path}: ${answer.status()}`);
    stumbles.push(...(await look(page, `console-${name}`)));
  }
  return stumbles;
}
