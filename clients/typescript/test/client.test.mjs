// Against a running server: HONNIN_URL and HONNIN_KEY, the key of a sandbox tenant.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Honnin, HonninError, verifyWebhook } from "../dist/index.js";

const honnin = new Honnin({ baseUrl: process.env.HONNIN_URL, apiKey: process.env.HONNIN_KEY });

test("a session is created, completed, read, listed, and its event is there", async () => {
  const order = `ts-${Date.now()}`;
  const created = await honnin.create({ metadata: { order }, preRegisteredInfo: { lastName: "Mustermann" } });
  assert.match(created.verificationUrl, /\/v\//);
  const done = await honnin.completeInSandbox(created.id, "approved");
  assert.equal(done.status, "completed");
  const read = await honnin.read(created.id);
  assert.equal(read.outcome.verdict, "approved");
  assert.equal(read.metadata.order, order);
  const listed = await honnin.list({ metadata: { order }, limit: 5 });
  assert.deepEqual(listed.sessions.map((one) => [one.id, one.verdict]), [[created.id, "approved"]]);
  const { events } = await honnin.events({ limit: 1 });
  assert.equal(events[0].data.session.sessionId, created.id);
  assert.equal((await honnin.reprocess(created.id)).status, "collecting");
  assert.equal((await honnin.cancel(created.id)).status, "failed");
  assert.equal((await honnin.erase(created.id)).status, "failed");
});

test("the clock of a sandbox session is moved", async () => {
  const { id } = await honnin.create();
  assert.equal((await honnin.advanceInSandbox(id, "deadline")).status, "expired");
  assert.equal((await honnin.advanceInSandbox(id, "retention_end")).status, "expired");
  await assert.rejects(honnin.advanceInSandbox(id, "deadline"), { status: 409, tag: "AdvanceNotAllowed" });
});

test("one idempotency key is one session", async () => {
  const key = `ts-${Date.now()}-once`;
  const [first, second] = [await honnin.create({}, key), await honnin.create({}, key)];
  assert.equal(first.id, second.id);
});

test("an error response has its status and its tag", async () => {
  const refused = await honnin.read("vs_unknown").catch((error) => error);
  assert.ok(refused instanceof HonninError);
  assert.deepEqual([refused.status, refused.tag], [404, "SessionNotFound"]);
  assert.match(refused.requestId, /^req_/);
  const wrong = new Honnin({ baseUrl: process.env.HONNIN_URL, apiKey: "hn_test_wrong" });
  await assert.rejects(wrong.list(), { status: 401, tag: "Unauthorized" });
});

test("a call is made again with the same idempotency key, and one that may have happened is not", async () => {
  const keys = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    if (keys.length < 3) return request.socket.destroy();
    response.writeHead(201, { "content-type": "application/json" }).end('{"id":"vs_1"}');
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const flaky = new Honnin({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: "k" });
  assert.equal((await flaky.create()).id, "vs_1");
  assert.equal(new Set(keys).size, 1);
  keys.length = 0;
  await assert.rejects(flaky.cancel("vs_1"));
  assert.equal(keys.length, 1);
  server.close();
});

test("a webhook is verified with either secret, and refused once it is changed", () => {
  const [old, current] = ["whsec_" + btoa("a".repeat(32)), "whsec_" + btoa("b".repeat(32))];
  const body = '{"id":"evt_1","type":"verification.approved","metadata":{"name":"山田"}}';
  const at = new Date();
  const headers = {
    "Webhook-Id": "evt_1",
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": new Webhook(current).sign("evt_1", at, body),
  };
  assert.equal(verifyWebhook([old, current], headers, Buffer.from(body)).type, "verification.approved");
  assert.throws(() => verifyWebhook(old, headers, body));
  assert.throws(() => verifyWebhook(current, headers, body.replace("approved", "rejected")));
});
