import { Webhook, WebhookVerificationError } from "standardwebhooks";
import type { WebhookEvent } from "./events.js";

export { WebhookVerificationError } from "standardwebhooks";

/** Headers in any of their forms: `Headers` of Fetch, `request.headers` of Node and Express, a record, a `Map` or pairs. */
export type WebhookHeaders =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook and returns its event.
 * @param secrets The signing secret (`whsec_…`); both of them while it is rotated.
 * @param rawBody The body as it arrived, before any JSON parser.
 * @throws {WebhookVerificationError} If the signature or the timestamp is not valid: then answer 400. Any other error is a mistake of the
 * receiver: a malformed secret, or a body that was parsed already.
 */
export function verifyWebhook(secrets: string | readonly string[], headers: WebhookHeaders, rawBody: string | Uint8Array | ArrayBuffer): WebhookEvent {
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer)) {
    throw new TypeError("rawBody must be the body as it arrived, before any JSON parser");
  }
  const webhooks = [secrets].flat().map((secret) => new Webhook(secret));
  if (webhooks.length === 0) throw new TypeError("there is no signing secret");
  const body = typeof rawBody === "string" ? rawBody : new TextDecoder("utf-8", { ignoreBOM: true }).decode(rawBody);
  const plain = plainHeaders(headers);
  let fault: unknown;
  for (const webhook of webhooks) {
    try {
      return webhook.verify(body, plain) as WebhookEvent;
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

/** The headers that occur once, under lower-case names. */
function plainHeaders(headers: WebhookHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, values] of Symbol.iterator in headers ? headers : Object.entries(headers)) {
    const [value, ...more] = [values].flat();
    if (typeof value === "string" && more.length === 0) plain[name.toLowerCase()] = value;
  }
  return plain;
}
