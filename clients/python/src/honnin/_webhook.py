from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError

from ._answer import integer_of
from .events import WebhookEvent

_Pairs: TypeAlias = "Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]"


class _HasItems(Protocol):
    # What Django, Flask, Starlette, aiohttp, http.server and a plain dictionary have in common.
    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(secrets: str | Iterable[str], headers: _HasItems | _Pairs, raw_body: bytes | str) -> WebhookEvent:
    """Verifies a webhook and returns its event.

    ``secrets`` is the signing secret (``whsec_…``), or both of them while it is rotated. ``headers`` are those of the request, in the form that
    your framework has them, or as pairs. ``raw_body`` is the body as it arrived, before any JSON parser.

    Raises ``WebhookVerificationError`` if the signature or the timestamp is not valid: then answer 400. ``ValueError`` and ``TypeError`` are
    mistakes of the receiver: a secret that is none, or a body that was parsed already.
    """
    if not isinstance(raw_body, bytes | bytearray | str):
        raise TypeError("raw_body must be the body as it arrived, before any JSON parser")
    webhooks = [_webhook(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not webhooks:
        raise ValueError("there is no signing secret")
    plain = _plain(headers)
    if not any(_verifies(webhook, raw_body, plain) for webhook in webhooks):
        raise WebhookVerificationError("the signature or the timestamp is not valid")
    return json.loads(raw_body, parse_int=integer_of)


def _webhook(secret: str) -> Webhook:
    try:
        return Webhook(secret)
    except EmptyWebhookSecretError as error:
        raise ValueError("the signing secret is empty") from error


def _verifies(webhook: Webhook, raw_body: bytes | str, headers: dict[str, str]) -> bool:
    try:
        webhook.verify(raw_body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):
        # A signature that is not base64, and a body that is not UTF-8, are a `ValueError` of the library.
        return False
    return True


def _plain(headers: _HasItems | _Pairs) -> dict[str, str]:
    """The headers under lower-case names."""
    pairs: Any = headers.items() if hasattr(headers, "items") else headers
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
