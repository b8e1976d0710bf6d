"""Events, which ``type`` tells apart."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from . import schema


class _Envelope(TypedDict):
    id: str
    """The same in every delivery: process it once."""
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None


class ApprovedEvent(_Envelope):
    type: Literal["verification.approved"]
    data: schema.Outcome


class RejectedEvent(_Envelope):
    type: Literal["verification.rejected"]
    data: schema.Outcome


class NeedsReviewEvent(_Envelope):
    type: Literal["verification.needs_review"]
    data: schema.Outcome


class ExpiredEvent(_Envelope):
    type: Literal["verification.expired"]
    data: schema.ExpiredData


class FailedEvent(_Envelope):
    type: Literal["verification.failed"]
    data: schema.FailedData


class TestEvent(_Envelope):
    """A test event that somebody sent from the console."""

    type: Literal["webhook.test"]
    data: schema.TestData


#: Stands for any other string. ``str`` itself would be compatible with every known type, so that comparisons could not tell events apart.
LaterType: TypeAlias = Literal["a type that came later"]


class UnknownEvent(_Envelope):
    """An event of a type that came later: answer 2xx and ignore it."""

    #: The name of the type. Compare it as a ``str``.
    type: LaterType
    data: dict[str, Any]


#: The body of a webhook, and an event of a list. Compare ``type`` to learn what is in ``data``.
WebhookEvent: TypeAlias = (
    ApprovedEvent | RejectedEvent | NeedsReviewEvent | ExpiredEvent | FailedEvent | TestEvent | UnknownEvent
)


class EventPage(TypedDict):
    """A page of events, newest first."""

    events: list[WebhookEvent]
    nextCursor: str | None
