"""The WACZ packer: WARCs, screenshots and media of a crawl, their index, its pages and checksums in one zip file.

The zip file stores its members uncompressed, so that replay tools can read ranges of them. WARCs are copied in pieces;
only the index is held in memory, about 300 bytes per page.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from isal import isal_zlib
from msgspec.structs import replace

from wavecrawl.adapters.unwritable import is_unwritable
from wavecrawl.adapters.wacz.warc_index import index_lines
from wavecrawl.adapters.warc import derived_id, resource_record, screenshot_record, warcinfo
from wavecrawl.application.wacz_package import PACKAGE
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.rendering.settings import ScreenshotArea
from wavecrawl.errors import PermanentError
from wavecrawl.ports.analytics import CrawlFacts, ReadPage
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.media_assets import MediaAssets
from wavecrawl.ports.packer import Gone
from wavecrawl.ports.screenshots import Screenshots

VERSION = "1.1.1"

_SCREENSHOTS = "screenshots.warc.gz"
_UNCHANGED = "unchanged.warc.gz"
_MEDIA = "media.warc.gz"
_READS = 8  # screenshots, or assets, at the same time
_READ_BYTES = 64_000_000  # of assets at the same time, unless a single one has more
_PIECE = 1024 * 1024
_LINES_PER_BLOCK = 300
_LEVEL = 1
_GZIP = 31
_PADDING = b"\x35\xd9\0\0"
"""An extra field without content, for members that may be longer than 2 GiB.

Their header has the field of ZIP64, also if they are short, but their entry in the directory has not. ReplayWeb.page
looks at the header only if the entry has a field: else it would read such a member from a wrong place.
"""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date of zip; members have no meaningful time


class _Resource(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    path: str
    hash: str
    bytes: int


class WaczPacker:
    """`ports.packer.Packer`."""

    def __init__(self, archive: Archive, screenshots: Screenshots, media: MediaAssets) -> None:
        self._archive = archive
        self._screenshots = screenshots
        self._media = media

    def size(self, batches: Sequence[tuple[BatchId, int]], *, most: int) -> int:
        """Return the size of the package without its index."""
        size = self._archive.exchanges_size(batches)
        crawls = {id_.crawl for id_, _ in batches} if size <= most else ()
        return size + sum(self._screenshots.size(crawl, most=most - size) for crawl in crawls)

    def pack(
        self,
        batches: Sequence[tuple[BatchId, int]],
        crawl: CrawlFacts,
        folder: Path,
        pages: Iterable[ReadPage],
        *,
        most: int,
    ) -> Gone:
        """Write crawl.wacz into a folder of exports atomically.

        Raise OSError if the disk is full or may not be written, PermanentError if the package cannot be made or becomes
        too large.
        """
        part = folder / f"{PACKAGE}.part"
        try:
            gone = self._write(part, batches, crawl, pages, most)
            part.replace(folder / PACKAGE)
        except OSError as error:
            if is_unwritable(error):
                raise
            raise PermanentError(f"{PACKAGE} cannot be written ({error})") from error
        finally:
            part.unlink(missing_ok=True)
        return gone

    def _write(
        self,
        part: Path,
        batches: Sequence[tuple[BatchId, int]],
        crawl: CrawlFacts,
        pages: Iterable[ReadPage],
        most: int,
    ) -> Gone:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as zip_:
            package = _Package(zip_, most)
            lines: list[str] = []
            with closing(self._archive.exchange_files(batches)) as files:
                for path in files:
                    with path.open("rb") as file:
                        pieces = iter(partial(file.read, _PIECE), b"")
                        lines.extend(package.add_warc(path.name, pieces, most=path.stat().st_size))
            missing = 0  # unchanged pages
            gone_pictures, gone_assets = list[ReadPage](), list[ReadPage]()
            assets: list[ReadPage] = []
            if msgspec.convert(dict(crawl.settings), CrawlSettings).packs_unchanged:
                pages = list(pages)
                assets = [page for page in pages if page.asset]
                times: dict[str, float] = {}
                places = [page.place for page in pages if page.place]
                if places:
                    lines.extend(package.add_warc(_UNCHANGED, self._copies(places, crawl, times)))
                missing = len(places) - len(times)
                pages = _as_stored(pages, times)
            shown: list[ReadPage] = []
            package.add("pages/pages.jsonl", _lines(pages, shown))
            if shown:
                lines.extend(package.add_warc(_SCREENSHOTS, self._pictures(shown, crawl, gone_pictures)))
            if assets and batches:
                tenant = batches[0][0].crawl.tenant
                lines.extend(package.add_warc(_MEDIA, self._assets(assets, crawl, tenant, gone_assets)))
            package.add_index(sorted(lines))
            package.finish(crawl)
            return Gone(pages=missing, screenshots=len(gone_pictures), assets=len(gone_assets))

    def _copies(self, places: Sequence[str], crawl: CrawlFacts, times: dict[str, float]) -> Iterator[bytes]:
        """Yield the stored records of unchanged pages; add the time of each response to `times`, by place."""
        yield warcinfo(name=_UNCHANGED, now=crawl.finished_at, id_=derived_id(f"{crawl.crawl} unchanged".encode()))
        with closing(self._archive.copies(places)) as copies:
            for copy in copies:
                times[copy.place] = copy.at
                yield copy.data

    def _pictures(self, pages: Sequence[ReadPage], crawl: CrawlFacts, gone: list[ReadPage]) -> Iterator[bytes]:
        """Yield the records of the pages' screenshots; add the pages whose screenshots no longer exist to `gone`."""
        is_whole = msgspec.convert(dict(crawl.settings), CrawlSettings).render.screenshot_area is ScreenshotArea.FULL
        yield warcinfo(name=_SCREENSHOTS, now=crawl.finished_at, id_=derived_id(crawl.crawl.encode()))
        for page, jpeg in _read(pages, lambda page: self._screenshots.get(page.screenshot), gone):
            yield screenshot_record(page.url, jpeg, made_at=page.fetched_at, is_whole=is_whole)

    def _assets(
        self, assets: Sequence[ReadPage], crawl: CrawlFacts, tenant: str, gone: list[ReadPage]
    ) -> Iterator[bytes]:
        """Yield the records of the crawl's media as they are stored; add those that no longer exist to `gone`."""
        yield warcinfo(name=_MEDIA, now=crawl.finished_at, id_=derived_id(f"{crawl.crawl} media".encode()))
        for page, body in _read(assets, lambda page: self._media.open(tenant, page.asset), gone):
            yield resource_record(page.url, body, media_type=page.media_type, made_at=page.fetched_at)


def _read(
    pages: Sequence[ReadPage], read: Callable[[ReadPage], bytes | None], gone: list[ReadPage]
) -> Iterator[tuple[ReadPage, bytes]]:
    """Yield pages with what `read` returns for them, a few read at a time; add those without anything to `gone`."""
    with ThreadPoolExecutor(_READS, thread_name_prefix="stored") as pool:
        for some in read_groups(pages):
            for page, data in zip(some, pool.map(read, some), strict=True):
                if data is not None:
                    yield page, data
                else:
                    gone.append(page)


def read_groups(pages: Iterable[ReadPage]) -> Iterator[list[ReadPage]]:
    """Yield pages in groups whose screenshots or assets are in memory at the same time: a video can be large."""
    group: list[ReadPage] = []
    size = 0
    for page in pages:
        if len(group) == _READS or (group and size + page.asset_bytes > _READ_BYTES):
            yield group
            group, size = [], 0
        group.append(page)
        size += page.asset_bytes
    if group:
        yield group


class _Package:
    """A zip file with the checksums of its members."""

    def __init__(self, zip_: zipfile.ZipFile, most: int) -> None:
        """`most`: bytes of the package."""
        self._zip = zip_
        self._left = most
        self._resources: list[_Resource] = []

    def add(self, path: str, pieces: Iterator[bytes]) -> None:
        """Add a file."""
        for _ in self._written(path, pieces):
            pass

    def add_warc(self, name: str, pieces: Iterator[bytes], *, most: int | None = None) -> list[str]:
        """Add a WARC of at most `most` bytes; return its index. None: it may be as large as the package."""
        with closing(self._written(f"archive/{name}", pieces, most)) as written:
            return list(index_lines(written, filename=name))

    def add_index(self, lines: Sequence[str]) -> None:
        """Add the index as compressed blocks and the first key of each block (CDXJ in ZipNum form)."""
        blocks = ["".join(lines[start : start + _LINES_PER_BLOCK]) for start in range(0, len(lines), _LINES_PER_BLOCK)]
        packed = [_zipped(block.encode()) for block in blocks]
        firsts = ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
        offset = 0
        for block, data in zip(blocks, packed, strict=True):
            place = json.dumps({"offset": offset, "length": len(data)})
            firsts.append(f"{block.partition(' {')[0]} {place}\n")
            offset += len(data)
        self.add("indexes/index.cdx.gz", iter(packed))
        self.add("indexes/index.idx", iter(["".join(firsts).encode()]))

    def finish(self, crawl: CrawlFacts) -> None:
        """Add datapackage.json, which describes all members, and its checksum."""
        described = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": f"Crawl of {crawl.root_url}",
            "description": f"Crawl {crawl.crawl} of {crawl.root_url}: {crawl.status}",
            "created": _date(crawl.finished_at),
            "software": f"wavecrawl {crawl.version}",
            "mainPageUrl": crawl.root_url,
            "mainPageDate": _date(crawl.started_at),
            "resources": [
                {"name": one.name, "path": one.path, "hash": one.hash, "bytes": one.bytes} for one in self._resources
            ],
        }
        data = json.dumps(described, indent=2).encode()
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        self.add("datapackage.json", iter([data]))
        self.add("datapackage-digest.json", iter([json.dumps(digest, indent=2).encode()]))

    def _written(self, path: str, pieces: Iterator[bytes], most: int | None = None) -> Generator[bytes]:
        """Write a file of at most `most` bytes, and yield each piece of it.

        Only a file that may be large has ZIP64 fields before it (`_PADDING`).
        """
        digest, size = hashlib.sha256(), 0
        info = zipfile.ZipInfo(path, _EPOCH)
        is_large = (self._left if most is None else most) > zipfile.ZIP64_LIMIT
        if is_large:
            info.extra = _PADDING
        with self._zip.open(info, "w", force_zip64=is_large) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
                self._left -= len(piece)
                if self._left < 0:
                    raise PermanentError("it would be larger than its limit")
                yield piece
        name = path.rpartition("/")[2]
        self._resources.append(_Resource(name=name, path=path, hash=f"sha256:{digest.hexdigest()}", bytes=size))


def _as_stored(pages: Sequence[ReadPage], times: Mapping[str, float]) -> Iterator[ReadPage]:
    """Yield pages as of the time of their response, without files, resources, and pages whose response is lost."""
    for page in pages:
        if page.is_page and not page.place:
            yield page
        elif page.is_page and page.place in times:
            yield replace(page, fetched_at=times[page.place])


def _lines(pages: Iterable[ReadPage], shown: list[ReadPage]) -> Iterator[bytes]:
    """Yield the lines of pages.jsonl, and add the pages with a screenshot to `shown`.

    Unchanged pages are only in it if their stored responses are too.
    """
    yield b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'
    for page in pages:
        line = {"id": page.key, "url": page.url, "title": page.title, "ts": _date(page.fetched_at)}
        yield json.dumps(line).encode() + b"\n"
        if page.screenshot:
            shown.append(page)


def _zipped(data: bytes) -> bytes:
    compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP)
    return bytes(compressor.compress(data) + compressor.flush())


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
