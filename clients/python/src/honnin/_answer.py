"""What an answer means: a result, an error, and whether the call may be made again."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import httpx


class HonninError(Exception):
    """An answer that is not the result. Branch on ``status`` and ``tag``."""

    def __init__(self, status: int, tag: str, body: object, request_id: str | None, message: str) -> None:
        super().__init__(message if request_id is None else f"{message} ({request_id})")
        #: HTTP status: 200 if something in between answered in place of Honnin.
        self.status = status
        #: ``_tag`` of the body; empty if there was none: then the answer is not from Honnin.
        self.tag = tag
        #: The whole body: parsed if it was JSON, else its text.
        self.body = body
        #: Give it to the operator if something is wrong.
        self.request_id = request_id
        self._message = message

    def __reduce__(self) -> tuple[type[HonninError], tuple[object, ...]]:
        # An exception is made again from its text alone, which would fail in the process to which a worker has sent it.
        return HonninError, (self.status, self.tag, self.body, self.request_id, self._message)


def result_of(response: httpx.Response) -> Any:
    """The result in the body of a response; something in between may have answered with a page of its own."""
    body = _parsed(response)
    if not isinstance(body, dict):
        raise error_of(response)
    return body


def error_of(response: httpx.Response) -> HonninError:
    body = _parsed(response)
    status, request_id = response.status_code, response.headers.get("x-request-id")
    fields = body if isinstance(body, dict) else {}
    tag, message = fields.get("_tag"), fields.get("message")
    if isinstance(tag, str):
        said = f"{status} {tag}: {message}" if isinstance(message, str) else f"{status} {tag}"
        issues = _issues(fields.get("issues"))
        said = f"{said} {issues}" if issues else said
        return HonninError(status, tag, body, request_id, said)
    kind = response.headers.get("content-type", "nothing")
    # Not the text itself: it could be part of a result with personal data.
    came = f"{status} with {kind}, not JSON of Honnin: is base_url right, or did a proxy answer?"
    return HonninError(status, "", body, request_id, came)


def is_refused_unread(error: HonninError, response: httpx.Response) -> bool:
    """Whether Honnin, or a limit in front of it, says that it did not begin to process the call. A 502, 504 or bare 503 does not say so."""
    if error.status == 429:
        return True
    if error.status == 503:
        return error.tag == "Unavailable" and "retry-after" in response.headers
    return error.tag == "RequestTimeout"


def never_arrived(error: httpx.TransportError) -> bool:
    """Whether there was no connection on which the call could have arrived."""
    return isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def cannot_be_sent(error: httpx.TransportError) -> bool:
    """Whether the call itself is at fault, so that another attempt would fail as well."""
    return isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def _issues(issues: object) -> str:
    """What is wrong with the call, each issue with its place."""
    said = []
    for issue in issues if isinstance(issues, list) else []:
        place = ".".join(str(key) for key in issue.get("path", []))
        said.append(f"{place}: {issue.get('message')}" if place else str(issue.get("message")))
    return "; ".join(said)


def integer_of(digits: str) -> int | Decimal:
    """Metadata may have numbers of any length, and ``int`` refuses those of more than 4,300 digits."""
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)


def _parsed(response: httpx.Response) -> object:
    try:
        return json.loads(response.content, parse_int=integer_of)
    except ValueError:
        return response.text
