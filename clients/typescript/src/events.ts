/** Events, which `type` tells apart. */

import type { webhooks } from "./schema.js";

type Body<T extends keyof webhooks> = webhooks[T]["post"]["requestBody"]["content"]["application/json"];

/** The event of each type that this version of the client knows. */
type EventOf = { [T in keyof webhooks]: Omit<Body<T>, "type"> & { type: T } };

/** An event whose type this version of the client knows. */
export type KnownEvent = EventOf[keyof webhooks];

/** Any other string. `string` itself would be compatible with every known type, so that comparisons could not tell events apart. */
declare enum LaterType {
  Any = "a type that came later",
}

/** An event of a type that came later: answer 2xx and ignore it. */
export type UnknownEvent = Pick<Body<"verification.approved">, "id" | "apiVersion" | "createdAt" | "metadata"> & {
  /** The name of the type. Compare it as a `string`. */
  type: LaterType;
  data: { [key: string]: unknown };
};

/** The body of a webhook, and an event of a list. Compare `type` to learn what is in `data`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

/** A page of events. */
export type EventPage = { events: WebhookEvent[]; nextCursor: string | null };
