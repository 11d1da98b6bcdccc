"""The page client: one request, one exchange."""

from typing import Protocol

from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest


class PageClient(Protocol):
    """Requests pages. Safe to share between the threads of one process.

    `fetch` never raises because of the network, the server or the URL. It always returns an Exchange; one without a
    complete response has a fault. A client also guarantees:

    - Redirects are returned, not followed. Cookies, credentials and proxies come only from the request.
    - It connects only to public addresses, and exactly to the address it has checked.
    - `limits.timeout` limits the whole exchange, even if the server sends slowly.
    - Bodies are cut at `limits.max_bytes` and `limits.max_decoded_bytes`; then `truncated` is set, without a fault.
    - It does not repeat a request that the server may have received, with one exception (allowed by RFC 9110 9.2.2
      for GET and HEAD): if a reused connection ends before the first byte of a response, it retries once at once on
      a new connection.
    """

    def fetch(self, request: FetchRequest) -> Exchange:
        """Send the request and return the exchange."""
        ...

    def close(self) -> None:
        """Close all connections; do not call `fetch` afterwards."""
        ...
