"""Webhooks and their deliveries."""

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
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api.serializers.webhooks import delivery_detail, delivery_model, webhook_model, webhook_with_secret
from wavecrawl.api.service import Service
from wavecrawl.api_models import webhooks as models
from wavecrawl.application.deliveries import send_again, send_test
from wavecrawl.application.webhooks import change_webhook, destination, rotate_secret
from wavecrawl.application.webhooks import create_webhook as store_webhook
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

WebhookName = Annotated[str, Path(description="Id of a webhook.")]
DeliveryName = Annotated[str, Path(description="Id of a delivery.")]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNKNOWN: Final = (HTTPStatus.NOT_FOUND,)
_HOUR: Final = 3_600.0


def webhook_routes(service: Service) -> Routes:
    """Return the routes of webhooks."""
    routes = Routes(service, tag="webhooks")
    _register_webhooks(routes)
    _register_secrets_and_tests(routes)
    _register_deliveries(routes)
    return routes


def _register_webhooks(routes: Routes) -> None:
    service = routes.service

    @routes.on("GET", "/v1/webhooks", summary="List webhooks")
    def list_webhooks() -> models.WebhookList:
        """List all webhooks of the tenant."""
        now = service.clock.now()
        found = service.webhooks.of_tenant(routes.caller.tenant)
        return models.WebhookList(webhooks=[webhook_model(webhook, now) for webhook in found])

    @routes.on(
        "POST",
        "/v1/webhooks",
        summary="Create a webhook",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.CONFLICT,),
        secret=True,
    )
    def create_webhook(webhook: models.NewWebhook) -> Response[models.WebhookWithSecret]:
        """Create a webhook, which sends the events of the tenant's crawls to a URL.

        The response contains the secret that messages are signed with. It is shown once.
        """
        made = store_webhook(
            routes.caller.tenant,
            _allowed(webhook.url, service),
            kinds=_kinds(webhook.events),
            description=webhook.description,
            webhooks=service.webhooks,
            clock=service.clock,
        )
        location = {"location": f"/v1/webhooks/{made.webhook}"}
        return answer(webhook_with_secret(made, service.clock.now()), status=HTTPStatus.CREATED, headers=location)

    @routes.on("GET", "/v1/webhooks/{webhook}", summary="Get a webhook", problems=_UNKNOWN)
    def get_webhook(webhook: WebhookName) -> models.Webhook:
        """Get a webhook, without its secret."""
        return webhook_model(_webhook(routes, webhook), service.clock.now())

    @routes.on(
        "PATCH",
        "/v1/webhooks/{webhook}",
        summary="Update a webhook",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def update_webhook(webhook: WebhookName, change: models.WebhookUpdate) -> models.Webhook:
        """Update a webhook. Messages that wait for a retry are sent to the new URL."""
        row = _webhook(routes, webhook)
        url = None if change.url is None else destination(_allowed(change.url, service))
        changed = change_webhook(
            row, lambda before: _changed(before, change, url), webhooks=service.webhooks, clock=service.clock
        )
        return webhook_model(changed, service.clock.now())

    @routes.on(
        "DELETE",
        "/v1/webhooks/{webhook}",
        summary="Delete a webhook",
        status=HTTPStatus.NO_CONTENT,
        problems=_UNKNOWN,
    )
    def delete_webhook(webhook: WebhookName) -> Response[None]:
        """Delete a webhook. Messages that wait for a retry are not sent."""
        row = _webhook(routes, webhook)
        service.webhooks.delete(row.tenant, row.webhook)
        return answer(None, status=HTTPStatus.NO_CONTENT)


def _register_secrets_and_tests(routes: Routes) -> None:
    service = routes.service

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/secret",
        summary="Rotate the secret of a webhook",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        secret=True,
    )
    def rotate_webhook_secret(webhook: WebhookName, rotation: models.SecretRotation) -> models.WebhookWithSecret:
        """Replace the secret of a webhook. Messages are signed with both secrets for the grace period.

        The response contains the new secret, which is shown once.
        """
        rotated = rotate_secret(
            _webhook(routes, webhook),
            webhooks=service.webhooks,
            clock=service.clock,
            grace=rotation.grace_hours * _HOUR,
        )
        return webhook_with_secret(rotated, service.clock.now())

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/test",
        summary="Test a webhook",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def test_webhook(webhook: WebhookName) -> Response[models.DeliveryDetail]:
        """Send a test message of event `webhook.test`. Get the delivery to see its outcome."""
        sent = send_test(
            _webhook(routes, webhook),
            nonce=token_hex(8),
            deliveries=service.deliveries,
            queue=service.deliveries_queue,
            clock=service.clock,
        )
        return _accepted(sent)


def _register_deliveries(routes: Routes) -> None:
    service = routes.service

    @routes.on("GET", "/v1/webhooks/{webhook}/deliveries", summary="List deliveries", problems=_UNKNOWN)
    def list_deliveries(
        webhook: WebhookName, cursor: CursorQuery = None, limit: LimitQuery = PAGE
    ) -> models.DeliveryList:
        """List the deliveries of the last 30 days to a webhook, newest first, with their attempts."""
        row = _webhook(routes, webhook)
        before = routes.position(cursor)
        found = service.deliveries.of_webhook(row.tenant, row.webhook, limit=limit + 1, before=before)
        following = routes.cursor(found[limit - 1].id.delivery) if len(found) > limit else None
        return models.DeliveryList(deliveries=[delivery_model(one) for one in found[:limit]], next_cursor=following)

    @routes.on("GET", "/v1/webhooks/{webhook}/deliveries/{delivery}", summary="Get a delivery", problems=_UNKNOWN)
    def get_delivery(webhook: WebhookName, delivery: DeliveryName) -> models.DeliveryDetail:
        """Get a delivery with its message."""
        return delivery_detail(_delivery(routes, webhook, delivery))

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
        summary="Redeliver a message",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def redeliver(webhook: WebhookName, delivery: DeliveryName) -> Response[models.DeliveryDetail]:
        """Send the message of a delivery again, with the same id. Failed attempts are retried for one day."""
        row = _delivery(routes, webhook, delivery)
        again = send_again(row.id, deliveries=service.deliveries, queue=service.deliveries_queue, clock=service.clock)
        return _accepted(again)


def _accepted(delivery: Delivery) -> Response[models.DeliveryDetail]:
    location = f"/v1/webhooks/{delivery.id.webhook}/deliveries/{delivery.id.delivery}"
    return answer(delivery_detail(delivery), status=HTTPStatus.ACCEPTED, headers={"location": location})


def _webhook(routes: Routes, webhook: str) -> Webhook:
    found = routes.service.webhooks.read(routes.caller.tenant, webhook) if _ID.fullmatch(webhook) else None
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"webhook {webhook} does not exist")
    return found


def _delivery(routes: Routes, webhook: str, delivery: str) -> Delivery:
    row = _webhook(routes, webhook)
    id_ = DeliveryId(tenant=row.tenant, webhook=row.webhook, delivery=delivery)
    found = routes.service.deliveries.read(id_) if _ID.fullmatch(delivery) else None
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"delivery {delivery} does not exist")
    return found


def _allowed(url: str, service: Service) -> str:
    """Return the URL. Raise Problem if its host is an IP address that is not public; names are checked on delivery."""
    try:
        host = urlsplit(destination(url)).hostname or ""
        ip_address(host)
    except ValueError:
        return url
    if not AddressPolicy(service.settings.allowed_addresses).permits(host):
        raise Problem(HTTPStatus.BAD_REQUEST, f"url: {host} is not a public IP address")
    return url


def _changed(before: Webhook, change: models.WebhookUpdate, url: str | None) -> Webhook:
    return replace(
        before,
        url=before.url if url is None else url,
        kinds=before.kinds if change.events is None else _kinds(change.events),
        description=before.description if change.description is None else change.description,
        disabled=before.disabled if change.disabled is None else change.disabled,
    )


def _kinds(events: list[models.WebhookEvent]) -> tuple[EventKind, ...]:
    return tuple(EventKind(event.value) for event in dict.fromkeys(events))
