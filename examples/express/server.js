// A shop that verifies its customers with Honnin.
import { Honnin, verifyWebhook } from "honnin";
import express from "express";

const { HONNIN_URL = "http://localhost:3000", HONNIN_API_KEY, HONNIN_WEBHOOK_SECRET, PORT = "8080" } = process.env;
const honnin = new Honnin({ baseUrl: HONNIN_URL, apiKey: HONNIN_API_KEY });
// In production these are tables of your database.
const orders = new Map();
const processed = new Set();
const app = express();

// The customer starts the verification of an order. The key makes it one session for each order, however often this is called.
app.post("/orders/:order/verify", async (request, response) => {
  const { order } = request.params;
  const session = await honnin.create({ metadata: { order } }, `order-${order}`);
  orders.set(order, { session: session.id, status: session.status });
  // The link is a secret of this customer. It opens once.
  response.redirect(303, session.verificationUrl);
});

app.get("/orders/:order", (request, response) => {
  const known = orders.get(request.params.order);
  response.status(known ? 200 : 404).json(known ?? {});
});

// The signature covers the raw bytes, so no JSON parser may come first.
app.post("/hooks", express.raw({ type: "application/json" }), async (request, response) => {
  let event;
  try {
    event = verifyWebhook(HONNIN_WEBHOOK_SECRET, request.headers, request.body);
  } catch {
    return response.sendStatus(400);
  }
  // The same event can arrive several times. Types that this shop does not know have no session.
  const id = event.data.session?.sessionId;
  if (!id || processed.has(event.id)) return response.sendStatus(204);
  // Events can arrive out of order: the session says what is true now. An error here is answered with 500, and the event comes again.
  const session = await honnin.read(id);
  const order = session.metadata?.order;
  if (order) orders.set(order, { session: id, status: session.status, verdict: session.outcome?.verdict ?? null });
  processed.add(event.id);
  response.sendStatus(204);
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`http://localhost:${PORT}`));
