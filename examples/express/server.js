// A shop that verifies its customers with Honnin.
import { Honnin, verifyWebhook, WebhookVerificationError } from "honnin";
import express from "express";

const { HONNIN_URL = "http://localhost:3000", HONNIN_API_KEY, HONNIN_WEBHOOK_SECRET, PORT = "8080" } = process.env;
const honnin = new Honnin({ baseUrl: HONNIN_URL, apiKey: HONNIN_API_KEY });
// For reads, which webhooks wait for: after 15 s without an answer, a webhook counts as failed and comes again.
const reader = new Honnin({ baseUrl: HONNIN_URL, apiKey: HONNIN_API_KEY, attempts: 1, timeout: 10_000 });
// In production these are tables of your database.
const orders = new Map();
const processed = new Set();
let reads = 0;
const app = express();

// The customer starts the verification of an order, or comes back to it.
app.post("/orders/:order/verify", async (request, response) => {
  const { order } = request.params;
  if (orders.has(order)) await refresh(order);
  const known = orders.get(order);
  const over = known && (["expired", "failed"].includes(known.status) || missed(known));
  if (!known || over) return response.redirect(303, await begin(order, known));
  // The link is good until the customer is through: it resumes in the browser that opened it. Then there is a result to show.
  const open = ["created", "collecting"].includes(known.status);
  response.redirect(303, open && known.link ? known.link : `/orders/${encodeURIComponent(order)}`);
});

app.get("/orders/:order", (request, response) => {
  const known = orders.get(request.params.order);
  if (!known) return response.sendStatus(404);
  response.json({ session: known.session, status: known.status, verdict: known.verdict });
});

// The signature covers the raw bytes, so no JSON parser may come first.
app.post("/hooks", express.raw({ type: () => true }), async (request, response) => {
  let event;
  try {
    event = verifyWebhook(HONNIN_WEBHOOK_SECRET, request.headers, request.body ?? "");
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return response.sendStatus(400);
  }
  // The same event can arrive several times. Its id is recorded at the end: after an error it is answered with 500, and comes again.
  if (!processed.has(event.id)) {
    await apply(event);
    processed.add(event.id);
    console.log(`event ${event.id} ${event.type}`);
  }
  response.sendStatus(204);
});

/** Creates the session of an order and returns its link, which is a secret of this customer. */
async function begin(order, previous) {
  // The key makes two clicks at once one session. After a session without a result the order gets another one, with a key of its own. Keys are ASCII.
  const name = encodeURIComponent(order);
  const key = previous ? `order-${name}-after-${previous.session}` : `order-${name}`;
  const { id, status, verificationUrl: link, verificationUrlExpiresAt } = await honnin.create({ metadata: { order } }, key);
  const linkUntil = Date.parse(verificationUrlExpiresAt);
  // The other click, or a webhook, may have been here already, and have a later state.
  if (orders.get(order)?.session !== id) orders.set(order, { session: id, link, linkUntil, status, verdict: null, read: 0 });
  return link;
}

/** Whether the link was not opened in time. The session stays `created` until its own deadline, but nobody can begin it any more. */
function missed(known) {
  return known.status === "created" && known.linkUntil <= Date.now();
}

/** Applies an event to its order. It only says that something happened: events can arrive in any order. */
async function apply(event) {
  const session = event.data.session?.sessionId;
  const order = event.metadata?.order;
  // Types that this shop does not know, and sessions of others.
  if (!session || !order) return;
  // The webhook was faster than the response to `create`.
  if (!orders.has(order)) orders.set(order, { session, status: "created", verdict: null, read: 0 });
  if (orders.get(order).session === session) await refresh(order);
}

/** Reads what is true now. */
async function refresh(order) {
  const known = orders.get(order);
  const read = ++reads;
  const { status, outcome } = await reader.read(known.session);
  // Of two reads at the same time, the one that began later counts. In a database, lock the row of the order instead.
  if (read > known.read) Object.assign(known, { read, status, verdict: outcome?.verdict ?? null });
}

app.listen(Number(PORT), "127.0.0.1", () => console.log(`http://localhost:${PORT}`));
