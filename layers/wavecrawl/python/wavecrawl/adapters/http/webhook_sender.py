"""Messages to webhooks, signed after the Standard Webhooks specification, sent like any request of ours.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from time import monotonic

from requests import Session
from standardwebhooks import Webhook as Signer

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.faults import TransferError, one_line
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transport import GuardedAdapter, PageRequest, PageResponse
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.outcome import retry_after
from wavecrawl.domain.webhooks.delivery import Attempt, Delivery
from wavecrawl.ports.webhooks import Webhook

TIMEOUT = 15.0
"""Seconds, of the 15 to 30 that the specification recommends."""

_MOST_BYTES = 4_096  # of an answer that nobody reads


class GuardedWebhookSender:
    """`ports.deliveries.WebhookSender`. Each message has a connection of its own. Safe to share between threads."""

    def __init__(
        self,
        *,
        user_agent: str,
        allowed: Iterable[str] = (),
        timeout: float = TIMEOUT,
        ca_file: str | None = None,
        lookup: Lookup = system_lookup,
    ) -> None:
        """Build a sender; `allowed` are networks outside the public internet that webhooks may lie in, as CIDR."""
        self._user_agent = user_agent
        self._timeout = timeout
        dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed))
        self._session = Session()
        self._session.trust_env = False
        self._session.adapters.clear()
        self._adapter = GuardedAdapter(dialer=dialer, ca_file=ca_file, pools=1, connections=1)
        self._session.mount("https://", self._adapter)

    def send(self, webhook: Webhook, delivery: Delivery, *, now: float) -> Attempt:
        """Send the delivery's message; return how that ended."""
        start = monotonic()
        try:
            request = self._request(webhook, delivery, now)
            response = self._adapter.send(request, timeout=self._timeout)
        except TransferError as error:
            return Attempt(at=now, error=f"{error.fault.value}: {one_line(error.detail)}", elapsed=monotonic() - start)
        return _attempt(webhook, response, now=now, elapsed=monotonic() - start)

    def close(self) -> None:
        """Close every connection; nothing may be sent afterwards."""
        self._session.close()

    def _request(self, webhook: Webhook, delivery: Delivery, now: float) -> PageRequest:
        target = target_of(webhook.url)
        body = delivery.body.encode()
        fields = {
            "Host": target.endpoint.host_header,
            "User-Agent": self._user_agent,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **_signed(webhook, delivery, now),
        }
        head = "".join([f"{name}: {value}\r\n" for name, value in fields.items()])
        message = f"POST {target.path} HTTP/1.1\r\n{head}\r\n".encode() + body
        return PageRequest(url=webhook.url, method="POST", target=target, message=message, max_bytes=_MOST_BYTES)


def _signed(webhook: Webhook, delivery: Delivery, now: float) -> dict[str, str]:
    name, at = delivery.id.delivery, datetime.fromtimestamp(int(now), tz=UTC)
    signatures = [Signer(secret).sign(name, at, delivery.body) for secret in webhook.secrets(now)]
    return {
        "webhook-id": name,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": " ".join(signatures),
    }


def _attempt(webhook: Webhook, response: PageResponse, *, now: float, elapsed: float) -> Attempt:
    """Return how an answered request ended. A status is an answer, whatever became of the body behind it."""
    head = response.head
    exchange = Exchange(url=webhook.url, method="POST", status=head.status, headers=head.headers, started_at=now)
    return Attempt(at=now, status=head.status, elapsed=elapsed, retry_after=retry_after(exchange))
