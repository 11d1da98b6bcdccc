"""Webhooks and their deliveries."""

import re
from http import HTTPStatus
from ipaddress import ip_address
from secrets import token_hex
from typing import Annotated, Final
from urllib.parse import urlsplit

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from msgspec.structs import replace

from wavecrawl.adapters.http.addresses import AddressPolicy, is_public
from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.webhooks import delivery_detail, delivery_model, webhook_model, webhook_with_secret
from wavecrawl.api_models import webhooks as models
from wavecrawl.application import webhooks
from wavecrawl.application.deliveries import send_again, send_test
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.urls.limits import DEFAULT_PORTS
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

WebhookName = Annotated[str, Path(description="ID of a webhook.")]
DeliveryName = Annotated[str, Path(description="ID of a delivery.")]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNKNOWN: Final = (HTTPStatus.NOT_FOUND,)
_HOUR: Final = 3_600.0


def webhook_routes(backend: Backend) -> Routes:
    """Return the routes of webhooks."""
    routes = Routes(backend, tag="Webhooks")
    _register_webhooks(routes)
    _register_secrets_and_tests(routes)
    _register_deliveries(routes)
    return routes


def _register_webhooks(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/webhooks", summary="List webhooks")
    def list_webhooks() -> models.WebhookList:
        """List all webhooks of the tenant."""
        now = backend.clock.now()
        found = backend.webhooks.of_tenant(routes.caller.tenant)
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

        The response contains the secret that messages are signed with. It is shown once. Returns 409 if the tenant has
        20 webhooks.
        """
        made = webhooks.create_webhook(
            routes.caller.tenant,
            _allowed(webhook.url, backend),
            kinds=_kinds(webhook.events),
            description=webhook.description,
            webhooks=backend.webhooks,
            clock=backend.clock,
        )
        location = {"location": f"/v1/webhooks/{made.webhook}"}
        return respond(webhook_with_secret(made, backend.clock.now()), status=HTTPStatus.CREATED, headers=location)

    @routes.on("GET", "/v1/webhooks/{webhook}", summary="Get a webhook", problems=_UNKNOWN)
    def get_webhook(webhook: WebhookName) -> models.Webhook:
        """Get a webhook, without its secret."""
        return webhook_model(_webhook(routes, webhook), backend.clock.now())

    @routes.on(
        "PATCH",
        "/v1/webhooks/{webhook}",
        summary="Update a webhook",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def update_webhook(webhook: WebhookName, change: models.WebhookUpdate) -> models.Webhook:
        """Update a webhook. Messages that wait for a retry are sent to the new URL.

        Returns 409 if another request updated the webhook at the same time. Send the request again.
        """
        row = _webhook(routes, webhook)
        url = None if change.url is None else webhooks.destination(_allowed(change.url, backend))
        changed = webhooks.change_webhook(
            row, lambda before: _changed(before, change, url), webhooks=backend.webhooks, clock=backend.clock
        )
        return webhook_model(changed, backend.clock.now())

    @routes.on(
        "DELETE",
        "/v1/webhooks/{webhook}",
        summary="Delete a webhook",
        status=HTTPStatus.NO_CONTENT,
        problems=_UNKNOWN,
    )
    def delete_webhook(webhook: WebhookName) -> Response[None]:
        """Delete a webhook. Messages that wait for a retry are not sent."""
        if not (_ID.fullmatch(webhook) and backend.webhooks.delete(routes.caller.tenant, webhook)):
            raise _unknown(webhook)
        return respond(None, status=HTTPStatus.NO_CONTENT)


def _register_secrets_and_tests(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/secret",
        summary="Rotate the secret of a webhook",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        secret=True,
    )
    def rotate_webhook_secret(webhook: WebhookName, rotation: models.SecretRotation) -> models.WebhookWithSecret:
        """Replace the secret of a webhook. Messages are signed with both secrets for the grace period.

        The response contains the new secret, which is shown once. Returns 409 if another request updated the webhook at
        the same time.
        """
        rotated = webhooks.rotate_secret(
            _webhook(routes, webhook),
            webhooks=backend.webhooks,
            clock=backend.clock,
            grace=rotation.grace_hours * _HOUR,
        )
        return webhook_with_secret(rotated, backend.clock.now())

    @routes.on(
        "POST",
        "/v1/webhooks/{webhook}/test",
        summary="Test a webhook",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def test_webhook(webhook: WebhookName) -> Response[models.DeliveryDetail]:
        """Send a test message of event `webhook.test`. Get the delivery to see its outcome.

        Returns 409 if the webhook is disabled, or if its last 5 messages still wait for their first attempt.
        """
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
        """List the deliveries of the last 30 days to a webhook, newest first, with their attempts."""
        row = _webhook(routes, webhook)
        before = routes.position(cursor)
        found = backend.deliveries.of_webhook(row.tenant, row.webhook, limit=limit + 1, before=before)
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
        """Send the message of a delivery again, with the same ID. Failed attempts are retried for one day.

        Returns 409 if the message is being sent at the moment.
        """
        row = _delivery(routes, webhook, delivery)
        again = send_again(row.id, deliveries=backend.deliveries, queue=backend.deliveries_queue, clock=backend.clock)
        return _accepted(again)


def _accepted(delivery: Delivery) -> Response[models.DeliveryDetail]:
    location = f"/v1/webhooks/{delivery.id.webhook}/deliveries/{delivery.id.delivery}"
    return respond(delivery_detail(delivery), status=HTTPStatus.ACCEPTED, headers={"location": location})


def _webhook(routes: Routes, webhook: str) -> Webhook:
    found = routes.backend.webhooks.read(routes.caller.tenant, webhook) if _ID.fullmatch(webhook) else None
    if found is None:
        raise _unknown(webhook)
    return found


def _unknown(webhook: str) -> Problem:
    return Problem(HTTPStatus.NOT_FOUND, f"webhook {webhook} does not exist")


def _delivery(routes: Routes, webhook: str, delivery: str) -> Delivery:
    row = _webhook(routes, webhook)
    id_ = DeliveryId(tenant=row.tenant, webhook=row.webhook, delivery=delivery)
    found = routes.backend.deliveries.read(id_) if _ID.fullmatch(delivery) else None
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"delivery {delivery} does not exist")
    return found


def _allowed(url: str, backend: Backend) -> str:
    """Return the URL. Raise Problem if its messages could be read on the way, or its host is no public IP address.

    Only addresses that the operator allows may have http. Names are checked on delivery.
    """
    parts = urlsplit(webhooks.destination(url))
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    permitted = address is None or AddressPolicy(backend.settings.allowed_addresses).permits(host, port)
    if not permitted:
        raise Problem(HTTPStatus.BAD_REQUEST, f"url: {host} is not a public IP address")
    if parts.scheme != "https" and (address is None or is_public(address)):
        detail = "url: use https. http is accepted for IP addresses in the operator's allowed_addresses only"
        raise Problem(HTTPStatus.BAD_REQUEST, detail)
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
