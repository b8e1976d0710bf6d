// Compiled, never run: what an editor knows about an event.
import type { IncomingHttpHeaders } from "node:http";
import { Honnin, verifyWebhook, type WebhookEvent } from "../src/index.js";

declare const event: WebhookEvent;
declare const headers: IncomingHttpHeaders;
declare const request: Request;

export function narrows(): string {
  // @ts-expect-error Not every event has a verdict.
  event.data.verdict;
  switch (event.type) {
    case "verification.approved":
    case "verification.rejected":
    case "verification.needs_review":
      // @ts-expect-error Decisions have no such time.
      event.data.expiredAt;
      return event.data.verdict;
    case "verification.expired":
      return event.data.expiredAt;
    case "verification.failed":
      return event.data.reason;
    case "webhook.test":
      return event.data.tenantId;
    default:
      // A type of the future: its name is a string, and its data are anything.
      const type: string = event.type;
      const anything: unknown = event.data["anything"];
      return type + String(anything);
  }
}

export function narrowsWithIf(): string | undefined {
  // @ts-expect-error There is no such type.
  if (event.type === "verification.aproved") return event.id;
  return event.type === "verification.approved" ? event.data.session.sessionId : undefined;
}

export const verified: WebhookEvent[] = [
  verifyWebhook("whsec_", headers, Buffer.of()),
  verifyWebhook(["whsec_"] as const, request.headers, ""),
  verifyWebhook("whsec_", { "webhook-id": "evt_1" }, new Uint8Array()),
  verifyWebhook("whsec_", request.headers, new ArrayBuffer(0)),
];

export async function lists(honnin: Honnin, signal: AbortSignal | undefined): Promise<void> {
  for await (const session of honnin.sessions({ status: "completed", limit: 100 }, { signal })) session.verdict;
  await honnin.listSessions({ createdFrom: new Date(), createdBefore: "2026-08-02T09:30:00.000Z" });
  for await (const one of honnin.events()) if (one.type === "verification.failed") one.data.reason;
  const { events } = await honnin.listEvents({ limit: 1 });
  if (events[0]?.type === "verification.expired") events[0].data.expiredAt;
  // @ts-expect-error Statuses are a closed set.
  honnin.sessions({ status: "complete" });
}

export const client = new Honnin({
  baseUrl: "https://verify.example.com",
  apiKey: "hn_test_",
  attempts: undefined,
  timeout: undefined,
  fetch: undefined,
});
