"""A page client with prepared responses, for tests of use cases without a server."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault

HTML = (("Content-Type", "text/html; charset=utf-8"),)


def answer(
    status: int = 200, body: str = "", headers: tuple[tuple[str, str], ...] = HTML, fault: TransportFault | None = None
) -> Exchange:
    """Return a response. `Canned` fills in the URL."""
    return Exchange(
        url="",
        status=None if fault else status,
        headers=headers,
        body=body.encode(),
        raw_body=body.encode(),
        fault=fault,
    )


def redirect(location: str, status: int = 301, *headers: tuple[str, str]) -> Exchange:
    """Return a redirect."""
    return answer(status, headers=(("Location", location), *headers))


def saved(found: Exchange, path: Path) -> Exchange:
    """Return a response as a download: the body of a successful one is in the file."""
    if found.status is None or not 200 <= found.status < 300:
        return structs.replace(found, body=b"", raw_body=b"", received_bytes=len(found.raw_body))
    path.write_bytes(found.body)
    return structs.replace(
        found, body=b"", raw_body=b"", received_bytes=len(found.raw_body), file_bytes=len(found.body)
    )


@dataclass(slots=True)
class Canned:
    """A `PageClient` that returns each URL's responses in turn and repeats the last; unknown URLs are 404."""

    answers: dict[str, list[Exchange]] = field(default_factory=dict)
    requests: list[FetchRequest] = field(default_factory=list)
    _given: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def fetch(self, request: FetchRequest) -> Exchange:
        """Return the next response."""
        self.requests.append(request)
        known = self.answers.get(request.url, [answer(404)])
        found = known[min(self._given[request.url], len(known) - 1)]
        self._given[request.url] += 1
        return structs.replace(found, url=request.url, method=request.method)

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """Return the next response with its body in a file."""
        return saved(self.fetch(request), path)

    def close(self) -> None:
        """Do nothing; there is nothing to close."""

    @property
    def requested(self) -> list[str]:
        """The URLs that were requested, in order."""
        return [request.url for request in self.requests]
