"""Webhooks and their deliveries: requests and responses."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.types import Flag, NextCursor, RequestModel, ResponseModel, Timestamp, Whole
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import DeliveryState

_LONGEST_URL = 2_083
_LONGEST_TEXT = 200
_MOST_HOURS = 168


class WebhookEvent(StrEnum):
    """Event that a webhook can subscribe to."""

    STARTED = EventKind.STARTED.value
    PROGRESS = EventKind.PROGRESS.value
    CHANGED = EventKind.CHANGED.value
    COMPLETED = EventKind.COMPLETED.value
    FAILED = EventKind.FAILED.value


_EVENTS = "Events to send. An empty list means all events except `crawl.progress`."
_OLD_SECRET = (
    "Until this time, messages are signed with both the new and the previous secret. "  # noqa: S105
    "`null`: only with the current secret."
)
_DISABLED = "If `true`, no messages are sent."

_Url = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_URL,
        description="URL that messages are sent to. Scheme `http` or `https`; the host must have a public IP address.",
        examples=["https://example.com/hooks/wavecrawl"],
    ),
]
_Events = Annotated[list[WebhookEvent], Field(max_length=len(WebhookEvent), description=_EVENTS)]
_Description = Annotated[str, Field(max_length=_LONGEST_TEXT, description="Free text.")]


class NewWebhook(RequestModel):
    """A webhook to create."""

    url: _Url
    events: _Events = Field(default=[])
    description: _Description = ""


class WebhookUpdate(RequestModel):
    """Fields of a webhook to update. Fields that are left out or `null` keep their values."""

    url: _Url | None = None
    events: _Events | None = None
    description: _Description | None = None
    disabled: Flag | None = Field(default=None, description=_DISABLED)


class SecretRotation(RequestModel):
    """How to rotate the secret of a webhook."""

    grace_hours: Annotated[Whole, Field(ge=0, le=_MOST_HOURS)] = Field(
        default=24,
        description="Hours for which messages are also signed with the previous secret. 0: only with the new secret.",
    )


class Webhook(ResponseModel):
    """A URL that receives the events of a tenant's crawls."""

    webhook: str = Field(description="ID of the webhook.")
    url: str = Field(description="URL that messages are sent to.")
    events: list[WebhookEvent] = Field(description=_EVENTS)
    description: str = Field(description="Free text.")
    disabled: bool = Field(
        description=f"{_DISABLED} Set by an update, or because the receiver responded with status code 410."
    )
    old_secret_until: Timestamp | None = Field(description=_OLD_SECRET)
    created_at: Timestamp
    changed_at: Timestamp


class WebhookWithSecret(Webhook):
    """A webhook with its secret, which is shown once."""

    secret: str = Field(
        description="Secret to verify messages with, as described at https://www.standardwebhooks.com.", repr=False
    )


class WebhookList(ResponseModel):
    """All webhooks of a tenant."""

    webhooks: list[Webhook]


class DeliveryAttempt(ResponseModel):
    """An attempt to deliver a message."""

    at: Timestamp
    status: int | None = Field(description="Status code of the response. `null` if there was no response.")
    error: str | None = Field(description="Why there was no response. `null` if there was one.")
    seconds: float = Field(description="Duration of the request in seconds, including the time to connect.")


class Delivery(ResponseModel):
    """The delivery of one message to one webhook."""

    delivery: str = Field(description="ID of the delivery, sent with the message as `webhook-id`.")
    event: str = Field(description="Event that the message reports.", examples=["crawl.completed"])
    state: DeliveryState
    created_at: Timestamp
    next_attempt_at: Timestamp | None = Field(description="Time of the next attempt. `null` if none is scheduled.")
    attempts: list[DeliveryAttempt]


class DeliveryDetail(Delivery):
    """A delivery with its message."""

    message: str = Field(description="Body of the message: JSON, exactly as sent and signed.")


class DeliveryList(ResponseModel):
    """Paginated list of deliveries, newest first."""

    deliveries: list[Delivery]
    next_cursor: NextCursor
