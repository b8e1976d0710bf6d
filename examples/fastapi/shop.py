"""A shop that verifies its customers with Honnin."""

import itertools
import os
import time
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from honnin import Honnin, WebhookVerificationError, verify_webhook


@dataclass
class Order:
    session: str
    status: str = "created"
    verdict: str | None = None
    # A secret of this customer, and until when it can be opened.
    link: str | None = None
    link_until: float = inf
    # The number of the read that `status` is from.
    read: int = 0

    @property
    def over(self) -> bool:
        """Whether there will be no result. A link that was not opened in time leaves its session `created` until the session's own deadline."""
        missed = self.status == "created" and self.link_until <= time.time()
        return missed or self.status in ("expired", "failed")


url, key = os.environ.get("HONNIN_URL", "http://localhost:3000"), os.environ["HONNIN_API_KEY"]
honnin = Honnin(url, key)
# For reads, which webhooks wait for: after 15 s without an answer, a webhook counts as failed and comes again.
reader = Honnin(url, key, attempts=1, timeout=5.0)
secret = os.environ["HONNIN_WEBHOOK_SECRET"]
# In production these are tables of your database.
orders: dict[str, Order] = {}
processed: set[str] = set()
reads = itertools.count(1)
app = FastAPI()


@app.post("/orders/{order}/verify")
async def verify(order: str) -> RedirectResponse:
    """The customer starts the verification of an order, or comes back to it."""
    if order in orders:
        await refresh(order)
    known = orders.get(order)
    if known is None or known.over:
        return RedirectResponse(await begin(order, known), status_code=303)
    # The link is good until the customer is through: it resumes in the browser that opened it. Then there is a result to show.
    if known.status in ("created", "collecting") and known.link:
        return RedirectResponse(known.link, status_code=303)
    return RedirectResponse(f"/orders/{quote(order, safe='')}", status_code=303)


@app.get("/orders/{order}")
async def show(order: str) -> dict[str, str | None]:
    if order not in orders:
        raise HTTPException(404)
    known = orders[order]
    return {"session": known.session, "status": known.status, "verdict": known.verdict}


@app.post("/hooks")
async def receive(request: Request) -> Response:
    # The signature covers the raw bytes, so no JSON parser may come first.
    try:
        event = verify_webhook(secret, request.headers, await request.body())
    except WebhookVerificationError:
        return Response(status_code=400)
    # The same event can arrive several times. Its id is recorded at the end: after an error it is answered with 500, and comes again.
    if event["id"] not in processed:
        await apply(event)
        processed.add(event["id"])
        print("event", event["id"], event["type"], flush=True)
    return Response(status_code=204)


async def begin(order: str, previous: Order | None) -> str:
    """Creates the session of an order and returns its link."""
    # The key makes two clicks at once one session. After a session without a result the order gets another one, with a key of its own. Keys are ASCII.
    name = quote(order, safe="")
    key = f"order-{name}-after-{previous.session}" if previous else f"order-{name}"
    created = await run_in_threadpool(honnin.create, {"metadata": {"order": order}}, idempotency_key=key)
    session, link = created["id"], created["verificationUrl"]
    # The other click, or a webhook, may have been here already, and have a later state.
    if order not in orders or orders[order].session != session:
        until = datetime.fromisoformat(created["verificationUrlExpiresAt"]).timestamp()
        orders[order] = Order(session, created["status"], link=link, link_until=until)
    return link


async def apply(event: Any) -> None:
    """Applies an event to its order. It only says that something happened: events can arrive in any order."""
    session = event["data"].get("session", {}).get("sessionId")
    order = (event["metadata"] or {}).get("order")
    # Types that this shop does not know, and sessions of others.
    if not session or not order:
        return
    # The webhook was faster than the response to `create`.
    if orders.setdefault(order, Order(session)).session == session:
        await refresh(order)


async def refresh(order: str) -> None:
    """Reads what is true now."""
    known, read = orders[order], next(reads)
    session = await run_in_threadpool(reader.read, known.session)
    # Of two reads at the same time, the one that began later counts. In a database, lock the row of the order instead.
    if read > known.read:
        known.read, known.status = read, session["status"]
        known.verdict = session["outcome"]["verdict"] if session["outcome"] else None
