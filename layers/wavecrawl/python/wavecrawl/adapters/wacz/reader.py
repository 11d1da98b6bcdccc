"""A WACZ package as it is read to compare its replay with the crawl: its pages, their screenshots and their HTML."""

import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

from wavecrawl.adapters.gzip_members import BROKEN, decompressed
from wavecrawl.adapters.http.content_codings import codings_of
from wavecrawl.adapters.http.decoding import decode
from wavecrawl.adapters.wacz.surt import surt
from wavecrawl.adapters.wacz.warc_index import header_fields, record_heads
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.errors import CorruptDataError, InvalidInputError, NotFoundError

_PIECE = 1_048_576  # bytes that are read at once
_MOST_HTML = 50_000_000  # bytes of a page
_WINDOW, _WHOLE = "urn:view:", "urn:fullPage:"
_PAGES = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_BROKEN: tuple[type[Exception], ...] = (*BROKEN, ValueError, LookupError, zipfile.BadZipFile)


class ArchivedPage(Struct, frozen=True, kw_only=True):
    """A page in the list of a package."""

    url: str
    title: str
    time: str  # of its capture: 14 digits, UTC


class ArchivedShot(Struct, frozen=True, kw_only=True):
    """The screenshot that the crawl made of a page."""

    image: bytes  # JPEG or PNG
    is_whole: bool  # whether it shows the whole page, and not only what a window shows first


class WaczReader:
    """An open package. A context manager. Its index is held in memory."""

    def __init__(self, path: Path) -> None:
        """Raise NotFoundError if there is no such file, InvalidInputError if it is not a WACZ package."""
        if not path.is_file():
            raise NotFoundError(f"{path} does not exist")
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self._index = dict(self._lines())
        except _BROKEN as error:
            raise InvalidInputError(f"{path} is not a WACZ package that can be read: {error}") from error
        if not any(name in self._zip.namelist() for name in _PAGES):
            self._zip.close()
            raise InvalidInputError(f"{path} is not a WACZ package: it has no list of pages")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def pages(self) -> list[ArchivedPage]:
        """Return the pages in the order of the package. Raise CorruptDataError."""
        try:
            return list(self._pages())
        except _BROKEN as error:
            raise CorruptDataError(f"{self.path} has a list of pages that cannot be read: {error}") from error

    def has(self, page: ArchivedPage) -> bool:
        """Return whether the package has a response of a page."""
        return (surt(page.url), page.time) in self._index

    def screenshot(self, page: ArchivedPage) -> ArchivedShot | None:
        """Return the screenshot that the crawl made of a page. Raise CorruptDataError."""
        for prefix in (_WINDOW, _WHOLE):
            found = self._found(f"{prefix}{page.url}", page.time)
            if found is not None:
                return ArchivedShot(image=found[1], is_whole=prefix == _WHOLE)
        return None

    def html(self, page: ArchivedPage) -> str | None:
        """Return the HTML that the crawl read: that of the rendered page, else of the response. Raise CorruptDataError.

        The first call reads all WARC files: the index has no lines for rendered pages.
        """
        found = self._found(page.url, page.time)
        fields, block = found or ({}, b"")
        rendered = self._rendered.get(fields.get("warc-record-id", "")) or self._rendered.get(page.url)
        if rendered is not None:
            return self._record(*rendered)[1].decode("utf-8", "replace")
        if found is None or fields.get("warc-type") == "revisit":
            return None
        return _html(block) if fields["warc-type"] == "response" else block.decode("utf-8", "replace")

    @cached_property
    def _rendered(self) -> dict[str, tuple[str, int, int]]:
        """The file, offset and length of the record of each rendered page.

        Found by the ID of the record of its response, and by its URL, which scripts may have changed.
        """
        found = {}
        for name in self._zip.namelist():
            if name.startswith("archive/") and name.endswith(".warc.gz"):
                with self._zip.open(name) as file:
                    for head, offset, length in record_heads(iter(partial(file.read, _PIECE), b""), filename=name):
                        fields = header_fields(head.partition(b"\r\n\r\n")[0])
                        if fields.get("warc-type") == "conversion":
                            for known in (fields["warc-target-uri"], fields.get("warc-refers-to")):
                                if known:
                                    found[known] = name, offset, length
        return found

    def _found(self, url: str, time: str) -> tuple[dict[str, str], bytes] | None:
        """Return the fields and the block of the record of a URL, None if there is none."""
        place = self._index.get((surt(url), time))
        if place is None:
            return None
        return self._record(f"archive/{place['filename']}", int(place["offset"]), int(place["length"]))

    def _record(self, name: str, offset: int, length: int) -> tuple[dict[str, str], bytes]:
        try:
            with self._zip.open(name) as file:
                file.seek(offset)
                content = decompressed(file.read(length))
            head, _, block = content.partition(b"\r\n\r\n")
            fields = header_fields(head)
            return fields, block[: int(fields["content-length"])]
        except _BROKEN as error:
            raise CorruptDataError(f"{self.path} has a record in {name} that cannot be read: {error}") from error

    def _pages(self) -> Iterator[ArchivedPage]:
        for name in _PAGES:
            if name in self._zip.namelist():
                for line in self._zip.read(name).splitlines():
                    page = json.loads(line)
                    if "url" in page:
                        yield ArchivedPage(url=page["url"], title=page.get("title") or "", time=_digits(page["ts"]))

    def _lines(self) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        """Yield the place of each record by its key and time."""
        for name in self._zip.namelist():
            if name.startswith("indexes/") and name.endswith((".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")):
                data = self._zip.read(name)
                for line in (decompressed(data) if name.endswith(".gz") else data).decode().splitlines():
                    key, time, place = line.split(" ", 2)
                    if not key.startswith("!"):
                        yield (key, time), json.loads(place)


def _html(block: bytes) -> str:
    """Return the HTML of a response, without content coding."""
    head, _, body = block.partition(b"\r\n\r\n")
    fields = header_fields(head)
    codings = codings_of([fields.get("content-encoding", "")])
    html = decode_html(decode(body, codings, limit=_MOST_HTML, whole=False).body, fields.get("content-type", "")).html
    return html if isinstance(html, str) else html.decode("utf-8", "replace")


def _digits(date: str) -> str:
    return datetime.fromisoformat(date).strftime("%Y%m%d%H%M%S")
