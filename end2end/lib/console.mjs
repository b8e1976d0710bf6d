// The console with something on every page of it.
import { signIn } from "./reviewer.mjs";

/**
 * A sandbox tenant with a session in every state, and an administrator who is signed in: her page, the cases that wait, the pages of the console.
 * `seen` is called on the pages on which she signs in.
 */
export async function busyConsole(browser, honnin, seen) {
  const owner = await honnin.tenant("Harbour Bank of the Northern Islands", "--steps", "document,selfie", "--sandbox");
  const call = async (path, body) => (await honnin.api(owner.apiKey, "POST", path, body)).body;
  const end = async (outcome, metadata) => {
    const { id } = await call("/v1/verification-sessions", { metadata });
    await call(`/v1/sandbox/verification-sessions/${id}/complete`, { outcome });
    return id;
  };
  for (const outcome of ["approved", "approved", "rejected", "failed", "expired"]) await end(outcome, { order: "A-1042" });
  await call("/v1/verification-sessions", {});
  const cases = [await end("needs_review", { order: "a-long-reference-without-a-space-in-it-0123456789" }), await end("needs_review")];
  const { page } = await signIn(browser, honnin, owner, { email: "una@bank.example", operator: true, seen });
  await page.goto(`${honnin.base}/admin/sessions?status=failed&metadata=A-1042`);
  await page.getByText("Save this search").click();
  await page.locator("#filter").fill("Failed orders of the north");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  return { owner, page, cases, pages: pages(cases) };
}

/** Name and path of every page of the console. */
const pages = (cases) => [
  ["overview", "/admin"],
  ["overview-7", "/admin?days=7"],
  ["overview-today", "/admin?days=1"],
  ["queue", "/admin/review"],
  ["queue-empty", "/admin/review?document=passport&reason=document_expired"],
  ["case", `/admin/review/${cases[0]}`],
  ["sessions", "/admin/sessions"],
  ["sessions-filtered", "/admin/sessions?from=2026-01-01"],
  ["session", `/admin/sessions/${cases[0]}`],
  ["session-erase", `/admin/sessions/${cases[0]}/erase`],
  ["session-new", "/admin/sessions/new"],
  ["webhooks", "/admin/webhooks"],
  ["webhooks-secrets", "/admin/webhooks/secrets"],
  ["webhooks-check", "/admin/webhooks/check"],
  ["webhooks-unsent", "/admin/webhooks/unsent"],
  ["requests", "/admin/requests"],
  ["keys", "/admin/keys"],
  ["settings", "/admin/settings"],
  ...["steps", "decision", "review", "look", "webhook", "callbacks", "addresses", "lifetimes", "sign_in"].map((name) => [`settings-${name}`, `/admin/settings/${name}`]),
  ["decisions", "/admin/decisions"],
  ["tenants", "/admin/tenants"],
  ["people", "/admin/people"],
  ["audit", "/admin/audit"],
  ["account", "/admin/account"],
  ["authenticator", "/admin/account/authenticator"],
  ["confirm", "/admin/confirm"],
  ["nowhere", "/admin/nowhere"],
];
