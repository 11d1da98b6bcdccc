"""Signed URLs of one machine: they download a result, screenshot or asset without an API key."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.embedded.signed_tokens import SignedTokens
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.exports import LIFETIME, content_type_of, saved_as

DOWNLOADS = "/v1/downloads/"
"""The start of the paths of signed URLs; a token follows."""

VIEWED: Final = "/archives/"
"""The start of the paths of archives in the viewer; a token and a file name follow."""

EXPORTS: Final = "exports"
SCREENSHOTS: Final = "screenshots"

# The signature covers the name. Even with a leaked key, nothing outside of these folders can be downloaded.
_FOLDERS = re.compile(
    r"(tenants/[^/]+/(?:sites/[^/]+/crawls/[^/]+/(?:exports|screenshots)|media/(?:images|videos|documents)))/.+"
)


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """The right to download one file."""

    name: str  # below the data folder
    until: float  # Unix seconds
    content_type: str
    disposition: str


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A file to download."""

    path: Path
    bytes: int
    content_type: str
    disposition: str  # of the header content-disposition
    etag: str  # another one if the file was replaced


class Downloads:
    """Signs and checks URLs."""

    def __init__(self, root: Path, *, signing_key: bytes, clock: Clock, base_url: str, viewer: str = "") -> None:
        """Take the URLs of the API and of the viewer of archives ("" = none), without a slash at the end."""
        self._root = root
        self._tokens = SignedTokens(Ticket, key=signing_key, purpose="download")
        self._clock = clock
        self._base_url = base_url
        self._viewer = viewer

    def signed_url(self, crawl: CrawlId, name: str, *, folder: str) -> str:
        """Return a URL that downloads a file of a crawl without an API key, valid for `LIFETIME`."""
        how = "inline" if folder == SCREENSHOTS else "attachment"
        return self.url_of(
            f"{crawl_prefix(crawl)}/{folder}/{name}",
            content_type=content_type_of(name),
            disposition=f'{how}; filename="{saved_as(crawl, name)}"',
        )

    def viewer_url(self, crawl: CrawlId, name: str) -> str | None:
        """Return a URL that shows an archive of a crawl, valid for `LIFETIME`; None if there is no viewer."""
        if not self._viewer:
            return None
        token = self._token(f"{crawl_prefix(crawl)}/{EXPORTS}/{name}", content_type_of(name), "attachment")
        source = f"{self._viewer}{VIEWED}{token}/{saved_as(crawl, name)}"
        return f"{self._viewer}/?source={quote(source, safe='')}"

    def url_of(self, name: str, *, content_type: str, disposition: str) -> str:
        """Return a URL that downloads a file below the data folder."""
        return f"{self._base_url}{DOWNLOADS}{self._token(name, content_type, disposition)}"

    def _token(self, name: str, content_type: str, disposition: str) -> str:
        until = self._clock.now() + LIFETIME
        return self._tokens.sign(Ticket(name=name, until=until, content_type=content_type, disposition=disposition))

    def download(self, token: str) -> Download:
        """Return the file of a signed URL's token.

        Raise NotFoundError if the signature is invalid, the URL has expired, or the file no longer exists.
        """
        ticket = self._tokens.read(token)
        if ticket is None or ticket.until < self._clock.now():
            raise NotFoundError("this download does not exist, or its time is over; request a new URL from the API")
        folder = _FOLDERS.fullmatch(ticket.name)
        path = self._root / ticket.name
        is_inside = folder and path.resolve().is_relative_to((self._root / folder[1]).resolve())
        if not is_inside or not path.is_file():
            raise NotFoundError(f"{path.name} does not exist any more")
        stat = path.stat()
        return Download(
            path=path,
            bytes=stat.st_size,
            etag=f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"',
            content_type=ticket.content_type,
            disposition=ticket.disposition,
        )
