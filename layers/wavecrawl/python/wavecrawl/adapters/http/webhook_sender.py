"""The sender of webhook messages, signed according to the Standard Webhooks specification.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from time import monotonic
from typing import Final, cast

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from standardwebhooks import Webhook as Signer

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import ConnectionPool, Dialer
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transfer_errors import TransferError, one_line
from wavecrawl.adapters.http.transport import GuardedSession, RawResponse
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.fetching.retries import retry_after
from wavecrawl.domain.webhooks.delivery import Attempt, Delivery
from wavecrawl.ports.webhooks import Webhook

TIMEOUT = 15.0
"""Seconds. The specification recommends 15 to 30."""

_MAX_BYTES = 4_096  # read of a response body, which is not used

_WITHOUT_ADDRESS: Final = {
    TransportFault.BLOCKED_ADDRESS: "the host has no public address",
    TransportFault.CONNECT: "the host refuses connections, or cannot be reached",
}
"""Messages of faults whose details say how a host responds to connections: tenants must not scan hosts and ports from
the network of the operator."""


class GuardedWebhookSender:
    """A `ports.deliveries.WebhookSender` with one connection per message. Safe to share between threads."""

    def __init__(
        self,
        *,
        user_agent: str,
        allowed: Iterable[str] = (),
        timeout: float = TIMEOUT,
        ca_file: str | None = None,
        lookup: Lookup = system_lookup,
        denies: Callable[[str], bool] = lambda _: False,
        proxies: OutboundProxies = DIRECT,
    ) -> None:
        """Build a sender. `allowed`: networks outside the public internet that it may send to, as CIDR.

        `denies`: whether the operator forbids requests to a host or an address. `proxies`: through which hosts are
        reached.
        """
        self._user_agent = user_agent
        self._timeout = timeout
        dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed), denies=denies, proxies=proxies)
        self._session = GuardedSession(ConnectionPool(dialer=dialer, ca_file=ca_file, max_endpoints=1, max_idle=1))

    def send(self, webhook: Webhook, delivery: Delivery, *, now: float) -> Attempt:
        """Send the delivery's message and return the result."""
        start = monotonic()
        try:
            with self._session.send(
                self._prepare(webhook, delivery, now), timeout=self._timeout, stream=True, allow_redirects=False
            ) as response:
                raw = cast("RawResponse", response.raw)
                raw.receive(_MAX_BYTES)
        except TransferError as error:
            return Attempt(at=now, error=_message(error), elapsed=monotonic() - start)
        # The status is the result, even if the body failed.
        exchange = Exchange(
            url=webhook.url, method="POST", status=raw.head.status, headers=raw.head.headers, started_at=now
        )
        elapsed = monotonic() - start
        return Attempt(at=now, status=raw.head.status, elapsed=elapsed, retry_after=retry_after(exchange))

    def close(self) -> None:
        """Close the session. Do not call send afterwards."""
        self._session.close()

    def _prepare(self, webhook: Webhook, delivery: Delivery, now: float) -> PreparedRequest:
        prepared = PreparedRequest()
        prepared.method = "POST"
        prepared.url = webhook.url
        prepared.body = delivery.body.encode()
        prepared.headers = CaseInsensitiveDict(
            {
                "Host": target_of(webhook.url).endpoint.host_header,
                "User-Agent": self._user_agent,
                "Content-Type": "application/json",
                "Content-Length": str(len(prepared.body)),
                "Connection": "close",
                **_signature_headers(webhook, delivery, now),
            }
        )
        return prepared


def _message(error: TransferError) -> str:
    return f"{error.fault.value}: {_WITHOUT_ADDRESS.get(error.fault) or one_line(error.detail)}"


def _signature_headers(webhook: Webhook, delivery: Delivery, now: float) -> dict[str, str]:
    name, at = delivery.id.delivery, datetime.fromtimestamp(int(now), tz=UTC)
    signatures = [Signer(secret).sign(name, at, delivery.body) for secret in webhook.secrets(now)]
    return {
        "webhook-id": name,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": " ".join(signatures),
    }
