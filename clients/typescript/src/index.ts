/** Client of the Honnin identity verification API. For servers only: an API key must never reach a browser. */

import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type {
  AdvancedSession,
  CancelledSession,
  CompletedSession,
  CreatedSession,
  DecisionEvent,
  ErasedSession,
  Events,
  ExpiredEvent,
  FailedEvent,
  NewSession,
  operations,
  OtherEvent,
  ReprocessedSession,
  SandboxOutcome,
  SandboxTime,
  SessionDetail,
  VerificationSessions,
} from "./schema.js";

export type * from "./schema.js";

/** An error response. Branch on `status` and `tag`. */
export class HonninError extends Error {
  override readonly name = "HonninError";
  constructor(
    readonly status: number,
    /** `_tag` of the body; empty if there was none. */
    readonly tag: string,
    /** The whole body. */
    readonly body: unknown,
    /** Give it to the operator if something is wrong. */
    readonly requestId: string | null,
  ) {
    super(`${status} ${tag}`);
  }
}

export interface Options {
  /** Base URL of the installation, such as `https://verify.example.com`. */
  baseUrl: string;
  apiKey: string;
  /** Attempts of a call in all, 4 by default. */
  attempts?: number;
  /** Time-out of each attempt in milliseconds, 20,000 by default. */
  timeout?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** Filters and position of a list of sessions. */
export type SessionQuery = NonNullable<operations["listVerificationSessions"]["parameters"]["query"]>;

const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

export class Honnin {
  readonly #options: Required<Options>;

  constructor(options: Options) {
    this.#options = { attempts: 4, timeout: 20_000, fetch: globalThis.fetch, ...options };
  }

  /**
   * Creates a session. Send the user to `verificationUrl`, and nobody else.
   * @param idempotencyKey Give the id of your order, so that it has one session even if your server restarts. By default a random one, which
   * covers the retries of this call.
   */
  create(session: NewSession = {}, idempotencyKey: string = randomUUID()): Promise<CreatedSession> {
    return this.#call("POST", "/v1/verification-sessions", session, { "idempotency-key": idempotencyKey });
  }

  /** Reads a session with its personal data. Do not log the result. */
  read(id: string): Promise<SessionDetail> {
    return this.#call("GET", session(id));
  }

  /** A page of sessions, newest first. */
  list(query: SessionQuery = {}): Promise<VerificationSessions> {
    return this.#call("GET", `/v1/verification-sessions${search(query)}`);
  }

  /** A page of events, newest first. */
  events(query: { limit?: number; cursor?: string } = {}): Promise<Events> {
    return this.#call("GET", `/v1/events${search(query)}`);
  }

  /** Returns a `completed`, `failed` or `reviewing` session to `collecting`. The new link is issued in the console. */
  reprocess(id: string): Promise<ReprocessedSession> {
    return this.#call("POST", `${session(id)}/reprocess`, undefined, {}, false);
  }

  /** Ends a `created` or `collecting` session. */
  cancel(id: string): Promise<CancelledSession> {
    return this.#call("POST", `${session(id)}/cancel`, undefined, {}, false);
  }

  /** Erases the personal data of a session. This cannot be undone. */
  erase(id: string): Promise<ErasedSession> {
    return this.#call("POST", `${session(id)}/erase`);
  }

  /** Completes a session of a sandbox tenant in place of its user. */
  completeInSandbox(id: string, outcome: SandboxOutcome): Promise<CompletedSession> {
    const path = `/v1/sandbox/verification-sessions/${encodeURIComponent(id)}/complete`;
    return this.#call("POST", path, { outcome }, {}, false);
  }

  /** Lets the deadline of a session of a sandbox tenant pass, or its retention period end. */
  advanceInSandbox(id: string, to: SandboxTime): Promise<AdvancedSession> {
    const path = `/v1/sandbox/verification-sessions/${encodeURIComponent(id)}/advance`;
    return this.#call("POST", path, { to }, {}, false);
  }

  /** `repeatable`: whether the call may be made again when it is unknown whether the first one arrived. */
  async #call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    repeatable = true,
  ): Promise<T> {
    const { apiKey, attempts, baseUrl, timeout } = this.#options;
    const request: RequestInit = {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      redirect: "error",
    };
    if (body !== undefined) request.body = JSON.stringify(body);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= attempts;
      try {
        const response = await this.#options.fetch(baseUrl.replace(/\/+$/, "") + path, {
          ...request,
          signal: AbortSignal.timeout(timeout),
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as T;
        const error = errorOf(response, text);
        if (last || !RETRIED.has(error.status) || (!repeatable && error.status === 500)) throw error;
      } catch (error) {
        if (error instanceof HonninError || last || !repeatable) throw error;
      }
      await new Promise((done) => setTimeout(done, 250 * 2 ** attempt * (0.5 + Math.random())));
    }
  }
}

function errorOf(response: Response, text: string): HonninError {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not from Honnin, but from a proxy in front of it.
  }
  const tag = (body as { _tag?: unknown } | null)?._tag;
  return new HonninError(response.status, typeof tag === "string" ? tag : "", body, response.headers.get("x-request-id"));
}

function session(id: string): string {
  return `/v1/verification-sessions/${encodeURIComponent(id)}`;
}

function search(query: object): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "object") {
      for (const [key, member] of Object.entries(value)) pairs.append(`${name}[${key}]`, String(member));
    } else {
      pairs.append(name, String(value));
    }
  }
  const text = pairs.toString();
  return text && `?${text}`;
}

/** A verified webhook. Ignore types that you do not know. */
export type WebhookEvent = DecisionEvent | ExpiredEvent | FailedEvent | OtherEvent;

/**
 * Verifies a webhook and returns its event. Throws if the signature or the timestamp is not valid: then answer 400.
 * @param secrets The signing secret (`whsec_…`); both of them while it is rotated.
 * @param rawBody The body as it arrived, before any JSON parser.
 */
export function verifyWebhook(
  secrets: string | string[],
  headers: Record<string, string | string[] | undefined>,
  rawBody: string | Uint8Array,
): WebhookEvent {
  const body = typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8");
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") plain[name.toLowerCase()] = value;
  }
  let fault: unknown = new Error("no signing secret");
  for (const secret of [secrets].flat()) {
    try {
      return new Webhook(secret).verify(body, plain) as WebhookEvent;
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
