// A phone at the page of the selfie, and what its camera says.
import { persist, sit } from "./sitter.mjs";

/** A phone at the page with the camera. */
export async function atTheCamera(browser, customer, options = {}) {
  const page = await browser.phone(options);
  await page.goto(customer.link);
  const submit = page.locator("main form button[type=submit]").first();
  await submit.click();
  await page.waitForURL((url) => url.pathname === "/capture/consent");
  await page.locator("button[value=accept]").click();
  await page.waitForURL((url) => url.pathname === "/capture/selfie");
  return page;
}

/** A phone whose camera is on, with somebody before it. */
export async function filmingWith(browser, customer, does, options = {}) {
  const page = await atTheCamera(browser, customer, options);
  await sit(page, "owner", does);
  await page.locator(".camera > button").click();
  return page;
}

/** Waits until the camera says this sentence. */
export const hears = (page, sentence) => persist(page, sentence, () => page.locator(".stage-hint", { hasText: sentence }).isVisible());

/** The title of what stands before the camera's picture. */
export const panel = (page) => page.locator(".stage-panel:not([hidden]) h2");

/** Waits until the run of the camera ends with this title. */
export const ends = (page, title) => persist(page, title, () => panel(page).filter({ hasText: title }).isVisible());
