"""Client of the Honnin identity verification API. For servers only: an API key must never reach a browser."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote

import httpx
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from . import schema

__all__ = ["Honnin", "HonninError", "WebhookVerificationError", "schema", "verify_webhook"]

_RETRIED = {408, 429, 500, 502, 503, 504}


class HonninError(Exception):
    """An error response. Branch on ``status`` and ``tag``."""

    def __init__(self, status: int, tag: str, body: object, request_id: str | None) -> None:
        super().__init__(f"{status} {tag}")
        self.status = status
        #: ``_tag`` of the body; empty if there was none.
        self.tag = tag
        #: The whole body.
        self.body = body
        #: Give it to the operator if something is wrong.
        self.request_id = request_id


class Honnin:
    """A client. It keeps connections open: use one for the life of your process, or ``with``."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        attempts: int = 4,
        timeout: float = 20.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._attempts = attempts
        self._http = httpx.Client(
            base_url=base_url,
            headers={"authorization": f"Bearer {api_key}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Honnin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def create(
        self, session: schema.NewSession | None = None, *, idempotency_key: str | None = None
    ) -> schema.CreatedSession:
        """Creates a session. Send the user to ``verificationUrl``, and nobody else.

        Give the id of your order as ``idempotency_key``, so that it has one session even if your server restarts. By default it is a random
        one, which covers the retries of this call.
        """
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return self._call("POST", "/v1/verification-sessions", body=session or {}, headers=headers)

    def read(self, session_id: str) -> schema.SessionDetail:
        """Reads a session with its personal data. Do not log the result."""
        return self._call("GET", _session(session_id))

    def list(
        self,
        *,
        status: str | None = None,
        verdict: str | None = None,
        created_from: str | None = None,
        created_before: str | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> schema.VerificationSessions:
        """A page of sessions, newest first."""
        query: dict[str, object] = {
            "status": status,
            "verdict": verdict,
            "createdFrom": created_from,
            "createdBefore": created_before,
            "limit": limit,
            "cursor": cursor,
        }
        query |= {f"metadata[{key}]": value for key, value in (metadata or {}).items()}
        return self._call("GET", "/v1/verification-sessions", query=query)

    def events(self, *, limit: int | None = None, cursor: str | None = None) -> schema.Events:
        """A page of events, newest first."""
        return self._call("GET", "/v1/events", query={"limit": limit, "cursor": cursor})

    def reprocess(self, session_id: str) -> schema.ReprocessedSession:
        """Returns a completed, failed or reviewing session to collecting. The new link is issued in the console."""
        return self._call("POST", f"{_session(session_id)}/reprocess", repeatable=False)

    def cancel(self, session_id: str) -> schema.CancelledSession:
        """Ends a created or collecting session."""
        return self._call("POST", f"{_session(session_id)}/cancel", repeatable=False)

    def erase(self, session_id: str) -> schema.ErasedSession:
        """Erases the personal data of a session. This cannot be undone."""
        return self._call("POST", f"{_session(session_id)}/erase")

    def complete_in_sandbox(self, session_id: str, outcome: str) -> schema.CompletedSession:
        """Completes a session of a sandbox tenant in place of its user."""
        path = f"/v1/sandbox/verification-sessions/{quote(session_id, safe='')}/complete"
        return self._call("POST", path, body={"outcome": outcome}, repeatable=False)

    def advance_in_sandbox(self, session_id: str, to: str) -> schema.AdvancedSession:
        """Lets the deadline of a session of a sandbox tenant pass, or its retention period end."""
        path = f"/v1/sandbox/verification-sessions/{quote(session_id, safe='')}/advance"
        return self._call("POST", path, body={"to": to}, repeatable=False)

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool = True,
    ) -> Any:
        """``repeatable``: whether the call may be made again when it is unknown whether the first one arrived."""
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        attempt = 1
        while True:
            last = attempt >= self._attempts
            try:
                response = self._http.request(method, path, json=body, params=given, headers=headers)
            except httpx.TransportError:
                if last or not repeatable:
                    raise
            else:
                if response.is_success:
                    return response.json()
                error = _error(response)
                if last or error.status not in _RETRIED or (error.status == 500 and not repeatable):
                    raise error
            time.sleep(0.25 * 2**attempt * random.uniform(0.5, 1.5))
            attempt += 1


def _error(response: httpx.Response) -> HonninError:
    try:
        body = response.json()
    except ValueError:
        # Not from Honnin, but from a proxy in front of it.
        body = response.text
    tag = body.get("_tag") if isinstance(body, dict) else None
    return HonninError(response.status_code, tag or "", body, response.headers.get("x-request-id"))


def _session(session_id: str) -> str:
    return f"/v1/verification-sessions/{quote(session_id, safe='')}"


def verify_webhook(
    secrets: str | Iterable[str], headers: Mapping[str, str], raw_body: bytes
) -> schema.Event:
    """Verifies a webhook and returns its event. Raises ``WebhookVerificationError`` if the signature or the timestamp is not valid: then answer
    400. Ignore types of events that you do not know.

    ``secrets`` is the signing secret (``whsec_…``), or both of them while it is rotated. ``raw_body`` is the body as it arrived, before any
    JSON parser.
    """
    plain = {name.lower(): value for name, value in headers.items()}
    fault: WebhookVerificationError = WebhookVerificationError("no signing secret")
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        try:
            return cast("schema.Event", Webhook(secret).verify(raw_body, plain))
        except WebhookVerificationError as error:
            fault = error
    raise fault
