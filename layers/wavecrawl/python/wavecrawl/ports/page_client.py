"""The page client: one request, one ending."""

from typing import Protocol

from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest


class PageClient(Protocol):
    """Requests pages. Safe to share between the threads of one process.

    `fetch` never raises for anything the network, the server or the URL does: every ending is an Exchange, and one
    that has no whole answer names its fault. What a client promises beyond that:

    - one hop: redirects are returned, not followed; no cookie, credential or proxy comes in from outside the request;
    - only addresses of the public internet are connected to, and exactly the address that was checked (spec [43]);
    - `limits.timeout` bounds the whole exchange, however slowly the server drips;
    - bodies are cut at `limits.max_bytes` and `limits.max_decoded_bytes`, with `truncated` set and no fault;
    - a request that the server may have seen is not repeated, but for one case (RFC 9110 9.2.2 allows it for GET and
      HEAD): a connection that ends without one byte of an answer is tried once more, at once, with a fresh one.
    """

    def fetch(self, request: FetchRequest) -> Exchange:
        """Make the request and return how it ended."""
        ...

    def close(self) -> None:
        """Close every kept connection; no fetch may follow."""
        ...
