"""Webhooks and their deliveries, as they are asked for and shown."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.types import Asked, Flag, Moment, Shown, Whole, moment, moment_or_none
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryState
from wavecrawl.ports.webhooks import Webhook

_LONGEST_URL = 2_083
_LONGEST_TEXT = 200
_MOST_HOURS = 168


class WebhookEvent(StrEnum):
    """What a webhook can be told of."""

    STARTED = EventKind.STARTED.value
    PROGRESS = EventKind.PROGRESS.value
    CHANGED = EventKind.CHANGED.value
    COMPLETED = EventKind.COMPLETED.value
    FAILED = EventKind.FAILED.value


_Url = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_URL,
        description="where messages are sent, http or https; its host must have a public address when they are",
        examples=["https://example.com/hooks/wavecrawl"],
    ),
]
_Events = Annotated[
    list[WebhookEvent],
    Field(max_length=len(WebhookEvent), description="what it is told of; none = everything but `crawl.progress`"),
]
_Description = Annotated[str, Field(max_length=_LONGEST_TEXT, description="for people")]


class NewWebhook(Asked):
    """A webhook to create."""

    url: _Url
    events: _Events = Field(default=[])
    description: _Description = ""


class WebhookChange(Asked):
    """What is to change about a webhook; what is not named stays as it is."""

    url: _Url | None = None
    events: _Events | None = None
    description: _Description | None = None
    disabled: Flag | None = Field(default=None, description="whether it is told nothing")


class SecretRotation(Asked):
    """How a webhook's secret is replaced."""

    grace_hours: Annotated[Whole, Field(ge=0, le=_MOST_HOURS)] = Field(
        default=24, description="how long messages are signed with the old secret as well"
    )


class WebhookShown(Shown):
    """Where a tenant is told of what happens to its crawls."""

    webhook: str = Field(description="its id")
    url: str
    events: list[WebhookEvent] = Field(description="what it is told of; none = everything but `crawl.progress`")
    description: str
    disabled: bool = Field(description="it is told nothing: by its owner, or because its receiver answered 410")
    old_secret_until: Moment | None = Field(description="until when messages are signed with the old secret as well")
    created_at: Moment
    changed_at: Moment


class WebhookWithSecret(WebhookShown):
    """A webhook with its secret, which is shown this once."""

    secret: str = Field(description="verifies messages, as https://www.standardwebhooks.com describes", repr=False)


class WebhookList(Shown):
    """All webhooks of a tenant."""

    webhooks: list[WebhookShown]


class DeliveryAttempt(Shown):
    """One try to deliver a message."""

    at: Moment
    status: int | None = Field(description="what the receiver answered; null where no answer came")
    error: str | None = Field(description="why no answer came")
    seconds: float


class DeliveryOutline(Shown):
    """One message to one webhook."""

    delivery: str = Field(description="its id, and the message's `webhook-id`")
    event: str = Field(description="what it tells of", examples=["crawl.completed"])
    state: DeliveryState
    created_at: Moment
    next_attempt_at: Moment | None = Field(description="null where none will be made")
    attempts: list[DeliveryAttempt]


class DeliveryInFull(DeliveryOutline):
    """A delivery with its message."""

    message: str = Field(description="JSON, as it is sent and signed")


class DeliveryList(Shown):
    """Deliveries, the newest first."""

    deliveries: list[DeliveryOutline]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


def shown(webhook: Webhook, now: float) -> WebhookShown:
    """Return a webhook as it is shown."""
    signs_twice = len(webhook.secrets(now)) > 1
    return WebhookShown(
        webhook=webhook.webhook,
        url=webhook.url,
        events=[WebhookEvent(kind.value) for kind in webhook.kinds],
        description=webhook.description,
        disabled=webhook.disabled,
        old_secret_until=moment_or_none(webhook.old_secret_until if signs_twice else 0.0),
        created_at=moment(webhook.created_at),
        changed_at=moment(webhook.changed_at),
    )


def with_secret(webhook: Webhook, now: float) -> WebhookWithSecret:
    """Return a webhook with its secret."""
    return WebhookWithSecret(**shown(webhook, now).model_dump(), secret=webhook.secret)


def outlined(delivery: Delivery) -> DeliveryOutline:
    """Return a delivery as lists have it."""
    pending = delivery.state is DeliveryState.PENDING
    return DeliveryOutline(
        delivery=delivery.id.delivery,
        event=delivery.kind,
        state=delivery.state,
        created_at=moment(delivery.created_at),
        next_attempt_at=moment(delivery.due_at) if pending else None,
        attempts=[_attempt(attempt) for attempt in delivery.attempts],
    )


def in_full(delivery: Delivery) -> DeliveryInFull:
    """Return a delivery with its message."""
    return DeliveryInFull(**outlined(delivery).model_dump(), message=delivery.body)


def _attempt(attempt: Attempt) -> DeliveryAttempt:
    return DeliveryAttempt(
        at=moment(attempt.at), status=attempt.status, error=attempt.error or None, seconds=round(attempt.elapsed, 3)
    )
