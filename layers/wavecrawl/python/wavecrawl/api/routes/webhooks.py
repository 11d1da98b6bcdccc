"""Webhooks: where a tenant is told of what happens to its crawls, and what became of each message (spec [36])."""

import re
from dataclasses import replace
from http import HTTPStatus
from ipaddress import ip_address
from secrets import token_hex
from typing import Annotated, Final
from urllib.parse import urlsplit

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api_models import webhooks as models
from wavecrawl.api_models.webhooks import outlined, shown, with_secret
from wavecrawl.application.change_webhook import change_webhook, rotate_secret
from wavecrawl.application.create_webhook import create_webhook, destination
from wavecrawl.application.send_again import send_again, send_test
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

WebhookName = Annotated[str, Path(description="the id of a webhook")]
DeliveryName = Annotated[str, Path(description="the id of a delivery")]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNKNOWN: Final = (HTTPStatus.NOT_FOUND,)
_HOUR: Final = 3_600.0


def webhook_routes(backend: Backend) -> Routes:
    """Return the routes of webhooks."""
    routes = Routes(backend, tag="webhooks")
    _register_webhooks(routes)
    _register_secrets_and_tests(routes)
    _register_deliveries(routes)
    return routes


def _register_webhooks(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/webhooks", summary="List webhooks")
    def list_webhooks() -> models.WebhookList:
        """List all of the tenant's webhooks."""
        now = backend.clock.now()
        found = backend.webhooks.of_tenant(routes.caller.tenant)
        return models.WebhookList(webhooks=[shown(webhook, now) for webhook in found])

    @routes.on(
        "POST",
        "/v1/webhooks",
        summary="Create a webhook",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.CONFLICT,),
        secret=True,
    )
    def add_webhook(webhook: models.NewWebhook) -> Response[models.WebhookWithSecret]:
        """Have messages sent to a URL. The answer shows the secret that they are signed with, this once."""
        made = create_webhook(
            routes.caller.tenant,
            _allowed(webhook.url, backend),
            kinds=_kinds(webhook.events),
            description=webhook.description,
            webhooks=backend.webhooks,
            clock=backend.clock,
        )
        location = {"location": f"/v1/webhooks/{made.webhook}"}
        return answer(with_secret(made, backend.clock.now()), status=HTTPStatus.CREATED, headers=location)

    @routes.on("GET", "/v1/webhooks/{webhook}", summary="Look at a webhook", problems=_UNKNOWN)
    def read_webhook(webhook: WebhookName) -> models.WebhookShown:
        """Return a webhook, without its secret."""
        return shown(_webhook(routes, webhook), backend.clock.now())

    @routes.on(
        "PATCH",
        "/v1/webhooks/{webhook}",
        summary="Change a webhook",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def update_webhook(webhook: WebhookName, change: models.WebhookChange) -> models.WebhookShown:
        """Change what is named. Messages that wait for another try go to the new URL."""
        row = _webhook(routes, webhook)
        url = None if change.url is None else destination(_allowed(change.url, backend))
        changed = change_webhook(
            row, lambda before: _changed(before, change, url), webhooks=backend.webhooks, clock=backend.clock
        )
        return shown(changed, backend.clock.now())

    @routes.on(
        "DELETE",
        "/v1/webhooks/{webhook}",
        summary="Delete a webhook",
        status=HTTPStatus.NO_CONTENT,
        problems=_UNKNOWN,
    )
    def delete_webhook(webhook: WebhookName) -> Response[None]:
        """Send nothing more, what waits for another try included."""
        row = _webhook(routes, webhook)
        backend.webhooks.delete(row.tenant, row.webhook)
        return answer(None, status=HTTPStatus.NO_CONTENT)


def _register_secrets_and_tests(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/secret",
        summary="Replace a webhook's secret",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        secret=True,
    )
    def rotate_webhook_secret(webhook: WebhookName, rotation: models.SecretRotation) -> models.WebhookWithSecret:
        """Sign with a new secret, and for a while with the old one as well. The answer shows the new one, this once."""
        rotated = rotate_secret(
            _webhook(routes, webhook),
            webhooks=backend.webhooks,
            clock=backend.clock,
            grace=rotation.grace_hours * _HOUR,
        )
        return with_secret(rotated, backend.clock.now())

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/test",
        summary="Test a webhook",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def test_webhook(webhook: WebhookName) -> Response[models.DeliveryInFull]:
        """Send a message of kind `webhook.test`. The delivery says what became of it."""
        sent = send_test(
            _webhook(routes, webhook),
            nonce=token_hex(8),
            deliveries=backend.deliveries,
            queue=backend.deliveries_queue,
            clock=backend.clock,
        )
        return _accepted(sent)


def _register_deliveries(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/webhooks/{webhook}/deliveries", summary="List deliveries", problems=_UNKNOWN)
    def list_deliveries(
        webhook: WebhookName, cursor: CursorQuery = None, limit: LimitQuery = PAGE
    ) -> models.DeliveryList:
        """List what was sent to a webhook in the last 30 days, the newest first, with every attempt."""
        row = _webhook(routes, webhook)
        before = routes.position(cursor)
        found = backend.deliveries.of_webhook(row.tenant, row.webhook, limit=limit + 1, before=before)
        following = routes.cursor(found[limit - 1].id.delivery) if len(found) > limit else None
        return models.DeliveryList(deliveries=[outlined(one) for one in found[:limit]], next_cursor=following)

    @routes.on("GET", "/v1/webhooks/{webhook}/deliveries/{delivery}", summary="Look at a delivery", problems=_UNKNOWN)
    def read_delivery(webhook: WebhookName, delivery: DeliveryName) -> models.DeliveryInFull:
        """Return a delivery with its message."""
        return models.in_full(_delivery(routes, webhook, delivery))

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
        summary="Send a message once more",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def redeliver(webhook: WebhookName, delivery: DeliveryName) -> Response[models.DeliveryInFull]:
        """Send a message again at once, with the same id, whatever became of it; where it fails, for another day."""
        row = _delivery(routes, webhook, delivery)
        again = send_again(row.id, deliveries=backend.deliveries, queue=backend.deliveries_queue, clock=backend.clock)
        return _accepted(again)


def _accepted(delivery: Delivery) -> Response[models.DeliveryInFull]:
    location = f"/v1/webhooks/{delivery.id.webhook}/deliveries/{delivery.id.delivery}"
    return answer(models.in_full(delivery), status=HTTPStatus.ACCEPTED, headers={"location": location})


def _webhook(routes: Routes, webhook: str) -> Webhook:
    found = routes.backend.webhooks.read(routes.caller.tenant, webhook) if _ID.fullmatch(webhook) else None
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no webhook {webhook}")
    return found


def _delivery(routes: Routes, webhook: str, delivery: str) -> Delivery:
    row = _webhook(routes, webhook)
    id_ = DeliveryId(tenant=row.tenant, webhook=row.webhook, delivery=delivery)
    found = routes.backend.deliveries.read(id_) if _ID.fullmatch(delivery) else None
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no delivery {delivery}")
    return found


def _allowed(url: str, backend: Backend) -> str:
    """Return the URL, unless it names an address that nothing would ever be sent to; names are looked at when it is."""
    try:
        host = urlsplit(destination(url)).hostname or ""
        ip_address(host)
    except ValueError:
        return url
    if not AddressPolicy(backend.settings.allowed_addresses).permits(host):
        raise Problem(HTTPStatus.BAD_REQUEST, f"{host} is no address of the public internet")
    return url


def _changed(before: Webhook, change: models.WebhookChange, url: str | None) -> Webhook:
    return replace(
        before,
        url=before.url if url is None else url,
        kinds=before.kinds if change.events is None else _kinds(change.events),
        description=before.description if change.description is None else change.description,
        disabled=before.disabled if change.disabled is None else change.disabled,
    )


def _kinds(events: list[models.WebhookEvent]) -> tuple[EventKind, ...]:
    return tuple(EventKind(event.value) for event in dict.fromkeys(events))
