import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "../dist/index.js";

const [OLD, CURRENT] = ["whsec_" + btoa("a".repeat(32)), "whsec_" + btoa("b".repeat(32))];
const BODY = '{"id":"evt_1","type":"verification.approved","metadata":{"name":"山田"}}';

function signed(secret = CURRENT, at = new Date()) {
  return {
    "Webhook-Id": "evt_1",
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, BODY),
  };
}

test("a webhook is verified with either secret, and refused once it is changed", () => {
  assert.equal(verifyWebhook([OLD, CURRENT], signed(), Buffer.from(BODY)).type, "verification.approved");
  assert.throws(() => verifyWebhook(OLD, signed(), BODY), WebhookVerificationError);
  assert.throws(() => verifyWebhook(CURRENT, signed(), BODY.replace("approved", "rejected")), WebhookVerificationError);
});

test("the headers of Fetch, of Node, of a list and of a gateway are all understood", () => {
  const pairs = Object.entries(signed());
  const lists = Object.fromEntries(pairs.map(([name, value]) => [name, [value]]));
  const request = new Request("http://test", { method: "POST", headers: signed(), body: BODY });
  for (const headers of [request.headers, signed(), pairs, new Map(pairs), lists]) {
    assert.equal(verifyWebhook(CURRENT, headers, BODY).id, "evt_1");
  }
});

test("a body is understood as a text, as bytes and as Fetch has it", async () => {
  const request = new Request("http://test", { method: "POST", body: BODY });
  for (const body of [BODY, Buffer.from(`[${BODY}]`).subarray(1, -1), new TextEncoder().encode(BODY), await request.arrayBuffer()]) {
    assert.equal(verifyWebhook(CURRENT, signed(), body).metadata.name, "山田");
  }
});

test("missing, old, doubled and malformed signatures are refused", () => {
  const old = signed(CURRENT, new Date(Date.now() - 6 * 60_000));
  const doubled = { ...signed(), "webhook-id": ["evt_1", "evt_2"] };
  const malformed = { ...signed(), "webhook-signature": "v1 v1, ,x v1,ü" };
  const late = { ...signed(), "webhook-timestamp": "yesterday" };
  delete doubled["Webhook-Id"];
  for (const headers of [{}, new Headers(), old, doubled, malformed, late]) {
    assert.throws(() => verifyWebhook(CURRENT, headers, BODY), WebhookVerificationError);
  }
});

test("a mistake of the receiver's own is not blamed on the sender", () => {
  const own = (error) => !(error instanceof WebhookVerificationError);
  for (const secrets of [[], "", undefined, "whsec_", "whsec_§"]) assert.throws(() => verifyWebhook(secrets, signed(), BODY), own);
  assert.throws(() => verifyWebhook(CURRENT, signed(), JSON.parse(BODY)), (error) => own(error) && /rawBody/.test(error.message));
});
