"""Checked by mypy, never run: what an editor knows about an event."""

from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler

import httpx
from honnin import Honnin, WebhookEvent, schema, verify_webhook


def narrows(event: WebhookEvent) -> str:
    event["data"]["verdict"]  # type: ignore[typeddict-item]  # not every event has a verdict
    if event["type"] == "verification.approved" or event["type"] == "verification.rejected":
        event["data"]["expiredAt"]  # type: ignore[typeddict-item]  # decisions have no such time
        return event["data"]["verdict"]
    if event["type"] == "verification.needs_review":
        return event["data"]["verdict"]
    if event["type"] == "verification.expired":
        return event["data"]["expiredAt"]
    if event["type"] == "verification.failed":
        return event["data"]["reason"]
    if event["type"] == "webhook.test":
        return event["data"]["tenantId"]
    # A type of the future: its name is a string, and its data are anything.
    name: str = event["type"]
    return name + str(event["data"]["anything"])


def headers(request: httpx.Request, handler: BaseHTTPRequestHandler) -> list[WebhookEvent]:
    plain = {"webhook-id": "evt_1"}
    pairs = [(b"webhook-id", b"evt_1")]
    return [verify_webhook("whsec_", given, b"") for given in (request.headers, plain)] + [
        verify_webhook(["whsec_"], handler.headers, b""),
        verify_webhook(("whsec_",), pairs, ""),
    ]


def lists(honnin: Honnin) -> None:
    verdicts: list[schema.Verdict | None] = [one["verdict"] for one in honnin.sessions(status="completed")]
    for event in honnin.events():
        if event["type"] == "verification.failed":
            verdicts.append(event["data"]["reason"])  # type: ignore[arg-type]  # a reason is no verdict
    honnin.list_sessions(created_from=datetime.now(UTC), created_before="2026-08-02T09:30:00.000Z")
    honnin.sessions(status="complete")  # type: ignore[arg-type]  # statuses are a closed set
