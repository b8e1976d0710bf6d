"""A shop that verifies its customers with Honnin."""

import os

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from honnin import Honnin, WebhookVerificationError, verify_webhook

honnin = Honnin(os.environ.get("HONNIN_URL", "http://localhost:3000"), os.environ["HONNIN_API_KEY"])
secret = os.environ["HONNIN_WEBHOOK_SECRET"]
# In production these are tables of your database.
orders: dict[str, dict] = {}
processed: set[str] = set()
app = FastAPI()


@app.post("/orders/{order}/verify")
def verify(order: str) -> RedirectResponse:
    # The key makes it one session for each order, however often this is called.
    session = honnin.create({"metadata": {"order": order}}, idempotency_key=f"order-{order}")
    orders[order] = {"session": session["id"], "status": session["status"]}
    # The link is a secret of this customer. It opens once.
    return RedirectResponse(session["verificationUrl"], status_code=303)


@app.get("/orders/{order}")
def show(order: str) -> dict:
    if order not in orders:
        raise HTTPException(404)
    return orders[order]


@app.post("/hooks", status_code=204)
async def receive(request: Request) -> Response:
    # The signature covers the raw bytes, so no JSON parser may come first.
    try:
        event = verify_webhook(secret, request.headers, await request.body())
    except WebhookVerificationError:
        return Response(status_code=400)
    # The same event can arrive several times. Types that this shop does not know have no session.
    session_id = event["data"].get("session", {}).get("sessionId")
    if session_id and event["id"] not in processed:
        # Events can arrive out of order: the session says what is true now. An error here is answered with 500, and the event comes again.
        session = await run_in_threadpool(honnin.read, session_id)
        order = (session["metadata"] or {}).get("order")
        if order:
            verdict = (session["outcome"] or {}).get("verdict")
            orders[order] = {"session": session_id, "status": session["status"], "verdict": verdict}
        processed.add(event["id"])
    return Response(status_code=204)
