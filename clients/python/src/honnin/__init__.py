"""Client of the Honnin identity verification API. For servers only: an API key must never reach a browser."""

from __future__ import annotations

import importlib.metadata
import math
import random
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Self, TypedDict, Unpack
from urllib.parse import quote

import httpx
from standardwebhooks.webhooks import WebhookVerificationError

from . import events, schema
from ._answer import HonninError, cannot_be_sent, error_of, is_refused_unread, never_arrived, result_of
from ._webhook import verify_webhook
from .events import EventPage, WebhookEvent

__all__ = ["Honnin", "HonninError", "SessionQuery", "WebhookEvent", "WebhookVerificationError", "events", "schema", "verify_webhook"]

#: Answers that another attempt may change.
_RETRIED = {408, 429, 500, 502, 503, 504}
#: The longest wait between attempts, whatever ``Retry-After`` says, in seconds.
_LONGEST_WAIT = 60.0
_SESSIONS = "/v1/verification-sessions"
#: Parameters of the API whose names differ here.
_NAMES = {"created_from": "createdFrom", "created_before": "createdBefore"}


class SessionQuery(TypedDict, total=False):
    """Filters and position of a list of sessions. ``None`` filters nothing."""

    status: schema.SessionStatus | None
    verdict: schema.Verdict | None
    #: Time of creation. A string is in ISO 8601, and a ``datetime`` has a time zone.
    created_from: str | datetime | None
    created_before: str | datetime | None
    #: Each of these must have this value.
    metadata: Mapping[str, str] | None
    #: Sessions of a page.
    limit: int | None
    cursor: str | None


class Honnin:
    """A client. It keeps connections open: use one for the life of your process, in all threads, or ``with``.

    ``attempts`` is the number of attempts of a call in all. ``timeout`` is in seconds: how long an attempt may take to connect, to send, and to
    wait for each part of the answer. Raises ``ValueError`` if an option cannot be meant.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        attempts: int = 4,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        _must(isinstance(base_url, str) and re.match("https?://[^/]", base_url), "base_url must be an http or https URL")
        _must(isinstance(api_key, str) and re.fullmatch("[!-~]+", api_key), "api_key must be an API key")
        _must(type(attempts) is int and attempts >= 1, "attempts must be a whole number of at least 1")
        _must(
            isinstance(timeout, int | float) and math.isfinite(timeout) and timeout > 0,
            "timeout must be a positive number of seconds",
        )
        self._attempts = attempts
        self._http = httpx.Client(
            base_url=base_url,
            headers={
                "authorization": f"Bearer {api_key}",
                "user-agent": f"honnin-python/{importlib.metadata.version('honnin')}",
            },
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
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
        one, which covers the retries of this call. The same key gives the first response again for 24 hours, also its ``status`` of that time:
        ``read`` tells what is true now.
        """
        # An empty key is sent, and refused, rather than replaced: its order would get another session after each restart.
        headers = {"idempotency-key": str(uuid.uuid4()) if idempotency_key is None else idempotency_key}
        return self._call("POST", _SESSIONS, body=session or {}, headers=headers)

    def read(self, session_id: str) -> schema.SessionDetail:
        """Reads a session with its personal data. Do not log the result."""
        return self._call("GET", _session(session_id))

    def sessions(self, **query: Unpack[SessionQuery]) -> Iterator[schema.ListedSession]:
        """All sessions that match, newest first, without personal data. The pages, of ``limit`` sessions each, are requested as the loop needs
        them.
        """
        while True:
            page = self.list_sessions(**query)
            # It may be empty although another one follows.
            yield from page["sessions"]
            query["cursor"] = page["nextCursor"]
            if query["cursor"] is None:
                return

    def list_sessions(self, **query: Unpack[SessionQuery]) -> schema.VerificationSessions:
        """A page of sessions, newest first. It may be short or empty although ``nextCursor`` is set; ``sessions`` takes care of that."""
        given: dict[str, object] = {_NAMES.get(name, name): value for name, value in query.items() if name != "metadata"}
        given |= {f"metadata[{key}]": value for key, value in (query.get("metadata") or {}).items()}
        return self._call("GET", _SESSIONS, query=given)

    def events(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[WebhookEvent]:
        """All events, newest first: each is the body of its webhook. The pages, of ``limit`` events each, are requested as the loop needs them."""
        while True:
            page = self.list_events(limit=limit, cursor=cursor)
            yield from page["events"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def list_events(self, *, limit: int | None = None, cursor: str | None = None) -> EventPage:
        """A page of events, newest first."""
        return self._call("GET", "/v1/events", query={"limit": limit, "cursor": cursor})

    def reprocess(self, session_id: str) -> schema.ReprocessedSession:
        """Returns a completed, failed or reviewing session to collecting. The new link is issued in the console."""
        return self._call("POST", f"{_session(session_id)}/reprocess", repeatable=False)

    def cancel(self, session_id: str) -> schema.CancelledSession:
        """Ends a created or collecting session."""
        return self._call("POST", f"{_session(session_id)}/cancel", repeatable=False)

    def erase(self, session_id: str) -> schema.ErasedSession:
        """Erases the personal data of a session. This cannot be undone; erasing twice does no harm."""
        return self._call("POST", f"{_session(session_id)}/erase")

    def complete_in_sandbox(self, session_id: str, outcome: schema.SandboxOutcome) -> schema.CompletedSession:
        """Completes a session of a sandbox tenant in place of its user."""
        path = f"/v1/sandbox/verification-sessions/{quote(session_id, safe='')}/complete"
        return self._call("POST", path, body={"outcome": outcome}, repeatable=False)

    def advance_in_sandbox(self, session_id: str, to: schema.SandboxTime) -> schema.AdvancedSession:
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
        """``repeatable``: whether a second call does no harm if the first one was processed."""
        given = {name: _written(value) for name, value in (query or {}).items() if value is not None}
        attempt = 1
        while True:
            last = attempt >= self._attempts
            asked = 0.0
            try:
                response = self._http.request(method, path, json=body, params=given, headers=headers)
            except httpx.TransportError as error:
                if last or cannot_be_sent(error) or not (repeatable or never_arrived(error)):
                    raise
            else:
                if response.is_success:
                    return result_of(response)
                refusal = error_of(response)
                if last or refusal.status not in _RETRIED or not (repeatable or is_refused_unread(refusal, response)):
                    raise refusal
                asked = _retry_after(response)
            time.sleep(min(max(0.5 * 2**attempt * random.uniform(0.5, 1.5), asked), _LONGEST_WAIT))
            attempt += 1


def _written(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _retry_after(response: httpx.Response) -> float:
    """The seconds of ``Retry-After``; 0 for a date, which needs the clocks to agree."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdecimal() else 0.0


def _must(met: object, message: str) -> None:
    if not met:
        raise ValueError(message)


def _session(session_id: str) -> str:
    return f"{_SESSIONS}/{quote(session_id, safe='')}"
