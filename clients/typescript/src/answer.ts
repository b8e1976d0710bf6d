/** What an answer means: a result, an error, and whether the call may be made again. */

/** An answer that is not the result. Branch on `status` and `tag`. */
export class HonninError extends Error {
  override readonly name = "HonninError";
  /** The whole body: parsed if it was JSON, else its text. Do not log it: it could be part of a result with personal data. */
  declare readonly body: unknown;
  constructor(
    /** HTTP status: 200 if something in between answered in place of Honnin. */
    readonly status: number,
    /** `_tag` of the body; empty if there was none: then the answer is not from Honnin. */
    readonly tag: string,
    body: unknown,
    /** Give it to the operator if something is wrong. */
    readonly requestId: string | null,
    message: string,
  ) {
    super(requestId === null ? message : `${message} (${requestId})`);
    // Not enumerable, so that `console.error`, `JSON.stringify` and loggers leave it out.
    Object.defineProperty(this, "body", { value: body });
  }
}

/** The result in the body of a response; something in between may have answered with a page of its own. */
export function resultOf<T>(response: Response, text: string): T {
  const body = parsed(text);
  if (typeof body === "object" && body !== null) return body as T;
  throw errorOf(response, text);
}

export function errorOf(response: Response, text: string): HonninError {
  const body = parsed(text);
  const { _tag: tag, message, issues } = Object(body) as { _tag?: unknown; message?: unknown; issues?: unknown };
  const requestId = response.headers.get("x-request-id");
  if (typeof tag === "string") {
    const said = typeof message === "string" ? `: ${message}` : "";
    const whole = [`${response.status} ${tag}${said}`, ...listed(issues)].join(" ");
    return new HonninError(response.status, tag, body, requestId, whole);
  }
  const kind = response.headers.get("content-type") ?? "nothing";
  // Not the text itself: it could be part of a result with personal data.
  const came = `${response.status} with ${kind}, not JSON of Honnin: is baseUrl right, or did a proxy answer?`;
  return new HonninError(response.status, "", body, requestId, came);
}

/** What is wrong with the call, each issue with its place. */
function listed(issues: unknown): string[] {
  if (!Array.isArray(issues) || issues.length === 0) return [];
  const said = issues.map((issue) => {
    const { path, message } = Object(issue) as { path?: unknown; message?: unknown };
    const place = Array.isArray(path) ? path.join(".") : "";
    return place ? `${place}: ${String(message)}` : String(message);
  });
  return [said.join("; ")];
}

/** Whether Honnin, or a limit in front of it, says that it did not begin to process the call. A 502, 504 or bare 503 does not say so. */
export function isRefusedUnread(error: HonninError, response: Response): boolean {
  if (error.status === 429) return true;
  if (error.status === 503) return error.tag === "Unavailable" && response.headers.has("retry-after");
  return error.tag === "RequestTimeout";
}

const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether an exception of `fetch` says that there was no connection on which the call could have arrived. */
export function neverArrived(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: unknown };
  // One for each address of the host, if it has several.
  const { errors } = Object(cause) as { errors?: unknown };
  return Array.isArray(errors) && errors.length > 0 ? errors.every(couldNotConnect) : couldNotConnect(cause);
}

function couldNotConnect(fault: unknown): boolean {
  const { code, syscall } = Object(fault) as { code?: string; syscall?: string };
  // A network or a host that cannot be reached, and a time-out, can also end a connection on which the call has been sent.
  return NOT_CONNECTED.has(code ?? "") || syscall === "connect";
}

/** The value of a JSON text, and any other text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
