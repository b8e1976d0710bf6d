// How calls behave when something is in the way. No Honnin is needed: each test has a server or a `fetch` of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { Honnin, HonninError } from "../dist/index.js";

const json = (status, body, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const page = (status, headers = {}) =>
  new Response("<!doctype html><title>Sign in</title>", { status, headers: { "content-type": "text/html", ...headers } });
const systemError = (code, syscall) => Object.assign(new Error(code), { code, syscall });
const networkError = (code, syscall) => Object.assign(new TypeError("fetch failed"), { cause: systemError(code, syscall) });
/** Of a host with several addresses. */
const networkErrors = (...errors) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new AggregateError(errors), { code: errors[0].code }) });
const UNAVAILABLE = { _tag: "Unavailable", message: "The service is overloaded." };

/** A client whose calls get these answers in their order, the last one for good; `seen` has the calls. */
function scripted(answers, options = {}) {
  const seen = [];
  const fetch = async (url, request) => {
    seen.push({ url: String(url), ...request, headers: new Headers(request.headers) });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return { honnin: new Honnin({ baseUrl: "http://test", apiKey: "hn_test_k", attempts: 2, fetch, ...options }), seen };
}

const ONCE = {
  reprocess: (honnin) => honnin.reprocess("vs_1"),
  cancel: (honnin) => honnin.cancel("vs_1"),
  completeInSandbox: (honnin) => honnin.completeInSandbox("vs_1", "approved"),
  advanceInSandbox: (honnin) => honnin.advanceInSandbox("vs_1", "deadline"),
};
const REPEATABLE = {
  create: (honnin) => honnin.create(),
  read: (honnin) => honnin.read("vs_1"),
  erase: (honnin) => honnin.erase("vs_1"),
};

test("a call that may have happened is not made again", async () => {
  const unknown = [
    page(502),
    page(504),
    page(503),
    page(408),
    json(500, {}),
    json(503, UNAVAILABLE),
    networkError("ECONNRESET"),
    networkError("EHOSTUNREACH", "read"),
    networkError("ETIMEDOUT", "write"),
  ];
  for (const [name, call] of Object.entries(ONCE)) {
    for (const answer of unknown) {
      const { honnin, seen } = scripted([answer, json(200, { id: "vs_1" })]);
      await assert.rejects(call(honnin), (error) => (error instanceof HonninError ? error.status === answer.status : error === answer));
      assert.equal(seen.length, 1, `${name} after ${answer.status ?? answer.cause.code}`);
    }
  }
});

test("a call that was certainly not processed is made again", async () => {
  const refused = [
    page(429, { "retry-after": "0" }),
    json(503, UNAVAILABLE, { "retry-after": "0" }),
    json(408, { _tag: "RequestTimeout", message: "too slow" }),
    networkError("ECONNREFUSED"),
    networkError("ENOTFOUND"),
    networkError("EHOSTUNREACH", "connect"),
    networkErrors(systemError("ENETUNREACH", "connect"), systemError("ETIMEDOUT", "connect")),
  ];
  await Promise.all(
    Object.values(ONCE).flatMap((call) =>
      refused.map(async (answer) => {
        const { honnin, seen } = scripted([answer, json(200, { id: "vs_1" })]);
        assert.equal((await call(honnin)).id, "vs_1");
        assert.equal(seen.length, 2);
      }),
    ),
  );
});

test("a call that can be repeated is made again, whatever became of the first one", async () => {
  const unknown = [page(408), page(429), json(500, {}), page(502), page(503), page(504), networkError("ECONNRESET")];
  await Promise.all(
    Object.values(REPEATABLE).flatMap((call) =>
      unknown.map(async (answer) => {
        const { honnin, seen } = scripted([answer, json(200, { id: "vs_1" })]);
        assert.equal((await call(honnin)).id, "vs_1");
        assert.equal(seen.length, 2);
        assert.equal(seen[0].headers.get("idempotency-key"), seen[1].headers.get("idempotency-key"));
      }),
    ),
  );
});

test("what a refusal says is in its message, with the id of the request", async () => {
  const { honnin } = scripted([json(404, { _tag: "SessionNotFound", id: "vs_1" }, { "x-request-id": "req_7" })]);
  await assert.rejects(honnin.read("vs_1"), { message: "404 SessionNotFound (req_7)", requestId: "req_7", tag: "SessionNotFound" });
});

test("what is wrong with a body is in the message", async () => {
  const issues = [
    { _tag: "Type", path: ["state"], message: "must be a string" },
    { _tag: "Syntax", path: [], message: "the body ends too early" },
  ];
  const { honnin } = scripted([json(400, { _tag: "HttpApiDecodeError", message: "It does not match.", issues }, { "x-request-id": "req_1" })]);
  const said = "400 HttpApiDecodeError: It does not match. state: must be a string; the body ends too early (req_1)";
  await assert.rejects(honnin.create(), { message: said });
});

test("a page of a proxy in place of the result is an error that says so, and is not requested again", async () => {
  const { honnin, seen } = scripted([page(200)]);
  const error = await honnin.read("vs_1").catch((error) => error);
  assert.ok(error instanceof HonninError);
  assert.deepEqual([error.status, error.tag], [200, ""]);
  assert.match(error.message, /200.*text\/html.*not JSON/);
  assert.match(error.body, /Sign in/);
  assert.equal(seen.length, 1);
});

test("a result that was cut off on its way is in the error, but not where the error is logged", async () => {
  const { honnin } = scripted([new Response('{"id":"vs_1","userInputInfo":{"lastName":"山田"', { status: 200 })]);
  const error = await honnin.read("vs_1").catch((error) => error);
  assert.match(error.body, /山田/);
  for (const logged of [inspect(error), JSON.stringify(error), error.stack]) assert.doesNotMatch(logged, /山田/);
  assert.match(inspect(error), /status: 200/);
});

test("an empty answer and one of another shape are errors too", async () => {
  for (const answer of [new Response(""), json(200, "ok"), json(200, null)]) {
    await assert.rejects(scripted([answer]).honnin.read("vs_1"), HonninError);
  }
});

test("a redirect is an error that is not requested again", async () => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.writeHead(302, { location: "https://login.example/" }).end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const honnin = new Honnin({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: "k" });
  await assert.rejects(honnin.read("vs_1"), (error) => error instanceof HonninError && error.status === 302);
  assert.equal(calls, 1);
  server.close();
});

test("options that are undefined have their defaults", async () => {
  const undefineds = { attempts: undefined, timeout: undefined };
  const { honnin, seen } = scripted([json(500, {})], undefineds);
  const gaveUp = honnin.read("vs_1", { signal: AbortSignal.timeout(30_000) });
  await assert.rejects(gaveUp, { status: 500 });
  assert.equal(seen.length, 4);
  const server = createServer((_, response) => response.end("{}"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const real = new Honnin({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: "k", fetch: undefined, ...undefineds });
  assert.deepEqual(await real.read("vs_1"), {});
  server.close();
});

test("options that cannot be meant are refused, and said by name", () => {
  const good = { baseUrl: "http://test", apiKey: "k" };
  for (const attempts of [0, -1, 1.5, NaN, Infinity, null, "4"]) assert.throws(() => new Honnin({ ...good, attempts }), /attempts/);
  for (const timeout of [0, -1, NaN, Infinity, null]) assert.throws(() => new Honnin({ ...good, timeout }), /timeout/);
  for (const baseUrl of [undefined, "", "verify.example.com", "ftp://test"]) assert.throws(() => new Honnin({ ...good, baseUrl }), /baseUrl/);
  for (const apiKey of [undefined, "", "hn_\n", "hn_…"]) assert.throws(() => new Honnin({ ...good, apiKey }), /apiKey/);
});

test("a call that cannot be sent is not tried again", async () => {
  const { honnin, seen } = scripted([json(201, {})]);
  await assert.rejects(honnin.create({}, "a\nb"), TypeError);
  assert.equal(seen.length, 0);
});

test("a key that is not a string is refused, so that no two orders share the text that it would be sent as", async () => {
  const { honnin, seen } = scripted([json(201, {})]);
  for (const key of [null, 4711, false, {}]) await assert.rejects(honnin.create({}, key), /idempotencyKey/);
  assert.equal(seen.length, 0);
  await honnin.create({}, undefined);
  assert.match(seen[0].headers.get("idempotency-key"), /^[0-9a-f-]{36}$/);
});

test("a time is given as a string or as a Date", async () => {
  const { honnin, seen } = scripted([json(200, { sessions: [], nextCursor: null })]);
  const at = "2026-08-02T09:30:00.000Z";
  for (const createdFrom of [at, new Date(at)]) await honnin.listSessions({ createdFrom });
  for (const { url } of seen) assert.equal(new URL(url).searchParams.get("createdFrom"), at);
  await assert.rejects(honnin.listSessions({ createdBefore: new Date(NaN) }), RangeError);
  assert.equal(seen.length, 2);
});

test("a call ends when its signal is aborted, also while it waits for the next attempt", async () => {
  const abort = new AbortController();
  const reason = new Error("the customer has left");
  const { honnin, seen } = scripted([json(500, {}, { "retry-after": "60" })], { attempts: 9 });
  const call = honnin.read("vs_1", { signal: abort.signal });
  setImmediate(() => abort.abort(reason));
  await assert.rejects(call, reason);
  assert.ok(seen.length <= 1);
  await assert.rejects(honnin.read("vs_1", { signal: abort.signal }), reason);
});

test("an attempt ends at its time-out, although the server keeps the connection", async () => {
  const server = createServer(() => {});
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const honnin = new Honnin({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: "k", attempts: 1, timeout: 50 });
  await assert.rejects(honnin.read("vs_1"), { name: "TimeoutError" });
  server.closeAllConnections();
  server.close();
});

test("a call says which client of which version made it", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));
  const { honnin, seen } = scripted([json(200, {})]);
  await honnin.read("vs_1");
  assert.equal(seen[0].headers.get("user-agent"), `honnin-typescript/${version}`);
});

test("sessions and events come one by one from all pages, also after an empty page", async () => {
  const session = (id) => ({ id });
  const pages = [
    { sessions: [session("vs_1"), session("vs_2")], nextCursor: "a" },
    { sessions: [], nextCursor: "b" },
    { sessions: [session("vs_3")], nextCursor: null },
  ];
  const query = { status: "completed", metadata: { order: "A 17" }, limit: 2 };
  const { honnin, seen } = scripted(pages.map((one) => json(200, one)));
  const ids = [];
  for await (const { id } of honnin.sessions(query)) ids.push(id);
  assert.deepEqual(ids, ["vs_1", "vs_2", "vs_3"]);
  assert.deepEqual(seen.map(({ url }) => new URL(url).searchParams.get("cursor")), [null, "a", "b"]);
  for (const { url } of seen) assert.match(url, /status=completed&metadata%5Border%5D=A\+17&limit=2/);

  const events = [{ events: [{ id: "evt_1" }], nextCursor: "a" }, { events: [], nextCursor: "b" }, { events: [{ id: "evt_2" }], nextCursor: null }];
  const other = scripted(events.map((one) => json(200, one)));
  const found = [];
  for await (const { id } of other.honnin.events()) found.push(id);
  assert.deepEqual(found, ["evt_1", "evt_2"]);
});

test("a loop that is left asks for no further page", async () => {
  const { honnin, seen } = scripted([json(200, { sessions: [{ id: "vs_1" }], nextCursor: "a" })]);
  for await (const { id } of honnin.sessions()) if (id) break;
  assert.equal(seen.length, 1);
});
