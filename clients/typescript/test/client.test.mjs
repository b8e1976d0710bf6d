// Against a running server: HONNIN_URL and HONNIN_KEY, the key of a sandbox tenant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Honnin, HonninError } from "../dist/index.js";

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
  const listed = await honnin.listSessions({ metadata: { order }, limit: 5 });
  assert.deepEqual(listed.sessions.map((one) => [one.id, one.verdict]), [[created.id, "approved"]]);
  const { events } = await honnin.listEvents({ limit: 1 });
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

test("a loop over pages of one meets every session and every event once", async () => {
  const order = `ts-${Date.now()}-pages`;
  const ids = [];
  for (let left = 3; left > 0; left -= 1) ids.unshift((await honnin.create({ metadata: { order } })).id);
  const listed = [];
  for await (const session of honnin.sessions({ metadata: { order }, limit: 1 })) listed.push(session.id);
  assert.deepEqual(listed, ids);
  for (const id of ids) await honnin.completeInSandbox(id, "failed");
  const failed = new Set();
  for await (const event of honnin.events({ limit: 1 })) {
    if (event.type === "verification.failed") failed.add(event.data.session.sessionId);
    if (ids.every((id) => failed.has(id))) break;
  }
  assert.ok(ids.every((id) => failed.has(id)));
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
  await assert.rejects(wrong.listSessions(), { status: 401, tag: "Unauthorized" });
});
