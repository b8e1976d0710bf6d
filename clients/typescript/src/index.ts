/** Client of the Honnin identity verification API. For servers only: an API key must never reach a browser. */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { HonninError, errorOf, isRefusedUnread, neverArrived, resultOf } from "./answer.js";
import type { EventPage, WebhookEvent } from "./events.js";
import type {
  AdvancedSession,
  CancelledSession,
  CompletedSession,
  CreatedSession,
  ErasedSession,
  ListedSession,
  NewSession,
  operations,
  ReprocessedSession,
  SandboxOutcome,
  SandboxTime,
  SessionDetail,
  VerificationSessions,
} from "./schema.js";

export type * from "./schema.js";
export { HonninError } from "./answer.js";
export type * from "./events.js";
export { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from "./webhook.js";

/** The same as in package.json. */
const VERSION = "0.0.1";

export interface Options {
  /** Base URL of the installation, such as `https://verify.example.com`. */
  baseUrl: string;
  apiKey: string;
  /** Attempts of a call in all, 4 by default. */
  attempts?: number | undefined;
  /** Time-out of each attempt in milliseconds, 30,000 by default. */
  timeout?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits for its next attempt. It rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

type Listed = NonNullable<operations["listVerificationSessions"]["parameters"]["query"]>;

/** Filters and position of a list of sessions. */
export type SessionQuery = Omit<Listed, "createdFrom" | "createdBefore"> & {
  /** Only sessions created at this time or later. A string is in ISO 8601. */
  createdFrom?: string | Date;
  /** Only sessions created before this time. */
  createdBefore?: string | Date;
};

/** Position of a list of events. */
export type EventQuery = NonNullable<operations["listEvents"]["parameters"]["query"]>;

/** Answers that another attempt may change. */
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
/** The longest wait between attempts, whatever `Retry-After` says, in milliseconds. */
const LONGEST_WAIT = 60_000;

interface Call {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether a second call does no harm if the first one was processed. */
  repeatable: boolean;
}

export class Honnin {
  readonly #baseUrl: string;
  readonly #headers: Headers;
  readonly #attempts: number;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  /** @throws {TypeError} If an option is missing or cannot be meant. */
  constructor({ baseUrl, apiKey, attempts = 4, timeout = 30_000, fetch = globalThis.fetch }: Options) {
    must(typeof baseUrl === "string" && /^https?:\/\/[^/]/.test(baseUrl), "baseUrl must be an http or https URL");
    must(typeof apiKey === "string" && /^[!-~]+$/.test(apiKey), "apiKey must be an API key");
    must(Number.isSafeInteger(attempts) && attempts >= 1, "attempts must be a whole number of at least 1");
    // Node's timers have 32 bits.
    must(typeof timeout === "number" && timeout > 0 && timeout < 2 ** 31, "timeout must be a positive number of milliseconds");
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#headers = new Headers({ authorization: `Bearer ${apiKey}`, "user-agent": `honnin-typescript/${VERSION}` });
    this.#attempts = attempts;
    this.#timeout = timeout;
    this.#fetch = fetch;
  }

  /**
   * Creates a session. Send the user to `verificationUrl`, and nobody else.
   * @param idempotencyKey Give the id of your order, so that it has one session even if your server restarts. By default a random one, which
   * covers the retries of this call. The same key gives the first response again for 24 hours, also its `status` of that time: `read` tells
   * what is true now.
   * @throws {TypeError} If the key is not a string.
   */
  async create(session: NewSession = {}, idempotencyKey: string = randomUUID(), options: CallOptions = {}): Promise<CreatedSession> {
    // Anything else would be sent as text: two orders without a key would share "null", and with it a session and its link.
    must(typeof idempotencyKey === "string", "idempotencyKey must be a string");
    const headers = { "idempotency-key": idempotencyKey };
    return this.#call({ method: "POST", path: SESSIONS, body: session, headers, repeatable: true }, options);
  }

  /** Reads a session with its personal data. Do not log the result. */
  read(id: string, options: CallOptions = {}): Promise<SessionDetail> {
    return this.#get(pathOf(id), {}, options);
  }

  /**
   * All sessions that match, newest first, without personal data. The pages are requested as the loop needs them.
   * @example for await (const session of honnin.sessions({ status: "reviewing" })) console.log(session.id);
   */
  async *sessions(query: SessionQuery = {}, options: CallOptions = {}): AsyncGenerator<ListedSession, void, undefined> {
    for await (const page of pages((cursor) => this.listSessions({ ...query, ...cursor }, options))) yield* page.sessions;
  }

  /** A page of sessions, newest first. It may be short or empty although `nextCursor` is set; `sessions` takes care of that. */
  listSessions(query: SessionQuery = {}, options: CallOptions = {}): Promise<VerificationSessions> {
    return this.#get(SESSIONS, query, options);
  }

  /** All events, newest first: each is the body of its webhook. The pages are requested as the loop needs them. */
  async *events(query: EventQuery = {}, options: CallOptions = {}): AsyncGenerator<WebhookEvent, void, undefined> {
    for await (const page of pages((cursor) => this.listEvents({ ...query, ...cursor }, options))) yield* page.events;
  }

  /** A page of events, newest first. */
  listEvents(query: EventQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#get("/v1/events", query, options);
  }

  /** Returns a `completed`, `failed` or `reviewing` session to `collecting`. The new link is issued in the console. */
  reprocess(id: string, options: CallOptions = {}): Promise<ReprocessedSession> {
    return this.#call({ method: "POST", path: `${pathOf(id)}/reprocess`, repeatable: false }, options);
  }

  /** Ends a `created` or `collecting` session. */
  cancel(id: string, options: CallOptions = {}): Promise<CancelledSession> {
    return this.#call({ method: "POST", path: `${pathOf(id)}/cancel`, repeatable: false }, options);
  }

  /** Erases the personal data of a session. This cannot be undone; erasing twice does no harm. */
  erase(id: string, options: CallOptions = {}): Promise<ErasedSession> {
    return this.#call({ method: "POST", path: `${pathOf(id)}/erase`, repeatable: true }, options);
  }

  /** Completes a session of a sandbox tenant in place of its user. */
  completeInSandbox(id: string, outcome: SandboxOutcome, options: CallOptions = {}): Promise<CompletedSession> {
    const path = `/v1/sandbox/verification-sessions/${encodeURIComponent(id)}/complete`;
    return this.#call({ method: "POST", path, body: { outcome }, repeatable: false }, options);
  }

  /** Lets the deadline of a session of a sandbox tenant pass, or its retention period end. */
  advanceInSandbox(id: string, to: SandboxTime, options: CallOptions = {}): Promise<AdvancedSession> {
    const path = `/v1/sandbox/verification-sessions/${encodeURIComponent(id)}/advance`;
    return this.#call({ method: "POST", path, body: { to }, repeatable: false }, options);
  }

  async #get<T>(path: string, query: object, options: CallOptions): Promise<T> {
    return this.#call({ method: "GET", path: path + search(query), repeatable: true }, options);
  }

  /** Makes the attempts of a call. */
  async #call<T>(call: Call, { signal }: CallOptions): Promise<T> {
    // Outside the loop: what cannot be sent now cannot be sent later either.
    const headers = new Headers(this.#headers);
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    const request: RequestInit = { method: call.method, headers, redirect: "manual" };
    if (call.body !== undefined) request.body = JSON.stringify(call.body);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= this.#attempts;
      let asked = 0;
      try {
        const { response, text } = await this.#attempt(this.#baseUrl + call.path, request, signal);
        if (response.ok) return resultOf<T>(response, text);
        const error = errorOf(response, text);
        if (last || !RETRIED.has(error.status) || !(call.repeatable || isRefusedUnread(error, response))) throw error;
        asked = Number(response.headers.get("retry-after")) || 0;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof HonninError || last || !(call.repeatable || neverArrived(error))) throw error;
      }
      await pause(Math.max(500 * 2 ** attempt * (0.5 + Math.random()), asked * 1000), signal);
    }
  }

  async #attempt(url: string, request: RequestInit, signal: AbortSignal | undefined): Promise<{ response: Response; text: string }> {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(this.#timeout);
    const fetch = this.#fetch;
    const response = await fetch(url, { ...request, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return { response, text: await response.text() };
  }
}

const SESSIONS = "/v1/verification-sessions";

/** The pages of a list, each requested when the one before has been used up. A page may be empty although another one follows. */
async function* pages<Page extends { nextCursor: string | null }>(
  request: (cursor: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let page = await request({});
  yield page;
  while (page.nextCursor !== null) {
    page = await request({ cursor: page.nextCursor });
    yield page;
  }
}

function must(met: boolean, message: string): asserts met {
  if (!met) throw new TypeError(message);
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(Math.min(milliseconds, LONGEST_WAIT), undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function pathOf(id: string): string {
  return `${SESSIONS}/${encodeURIComponent(id)}`;
}

function search(query: object): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (value instanceof Date) {
      pairs.append(name, value.toISOString());
    } else if (typeof value === "object") {
      for (const [key, member] of Object.entries(value)) pairs.append(`${name}[${key}]`, String(member));
    } else {
      pairs.append(name, String(value));
    }
  }
  const text = pairs.toString();
  return text && `?${text}`;
}
