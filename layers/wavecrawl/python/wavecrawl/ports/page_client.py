"""The page client: sends one request and returns its result."""

from pathlib import Path
from typing import Protocol

from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest


class PageClient(Protocol):
    """Requests pages. Safe to share between the threads of one process.

    Requests never raise for the network, the server or the URL. They always return an Exchange, which names its fault
    if the response is missing or incomplete. A client also promises:

    - Redirects are returned and not followed. No cookie, credential or proxy comes from outside the request.
    - It connects only to addresses of the public internet, and exactly to the address that was checked.
    - `limits.timeout` bounds the whole exchange, however slowly the server sends.
    - Bodies are cut at `limits.max_bytes` and `limits.max_decoded_bytes`. This sets `truncated` and is not a fault.
    - A request that the server may have received is not repeated, with one exception that RFC 9110 section 9.2.2
      allows for GET and HEAD: if the connection ends before the first byte of a response, the request is repeated once,
      immediately and on a new connection.
    """

    def fetch(self, request: FetchRequest) -> Exchange:
        """Send the request and return the result."""
        ...

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """Send a GET request and write the body of a successful response (2xx) to a new file at `path`.

        The body is never held in memory, so `limits.max_bytes` alone bounds it, as transferred and as decoded;
        `request.reserve` is not called. The exchange has no body, but `received_bytes` and `file_bytes`. A body that is
        longer than the limit sets `truncated`; if its Content-Length says so, it is not read at all. Other
        responses create no file.
        """
        ...

    def close(self) -> None:
        """Close every idle connection. Do not send requests afterwards."""
        ...
