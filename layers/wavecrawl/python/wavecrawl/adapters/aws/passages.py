"""The passages of each site as a file of SQLite in S3, used through a copy in the process's own folder.

S3 has no file locks, so one process at a time may change the file of a site: the queue of the function that indexes has
one message group per tenant (`index_queue`). The condition of each write makes sure of it.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_passages import PASSAGES, SqlitePassages
from wavecrawl.domain.knowledge.passage import Passage, SiteId
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.knowledge import IndexedPage, IndexState


@dataclass(slots=True, kw_only=True)
class _Copy:
    """The copy of a site's file."""

    etag: str  # of the object; "" = there is none
    is_changed: bool = False  # whether it has changes that are not committed


class S3Passages:
    """`ports.knowledge.Passages`. `state` reads the object again if it has changed. Not safe to share between threads.

    Changes are lost unless they are committed.
    """

    def __init__(self, bucket: Bucket, folder: Path, *, most_bytes: int) -> None:
        """`most_bytes`: of all copies in `folder`. The one in use may be larger."""
        self._bucket = bucket
        self._folder = folder
        self._most_bytes = most_bytes
        self._local = SqlitePassages(lambda site: knowledge_folder(folder, site))
        self._copies: OrderedDict[SiteId, _Copy] = OrderedDict()  # the most recently used last

    def size(self, site: SiteId) -> int:
        """Return the bytes of the copy of a site's file."""
        path = self._path(site)
        return path.stat().st_size if path.is_file() else 0

    def state(self, site: SiteId) -> IndexState | None:
        """Return the state of a site's index, as it is now."""
        copy = self._copies.get(site)
        if copy is not None and not copy.is_changed and (self._bucket.etag(_key(site)) or "") != copy.etag:
            self._discard(site)
        return self._read(site).state(site)

    def hashes(self, site: SiteId) -> dict[str, str]:
        """Return the content hash of each indexed page."""
        return self._read(site).hashes(site)

    def keys_of_crawl(self, site: SiteId, crawl: str) -> list[str]:
        """Return the keys of the pages that were last seen in a crawl."""
        return self._read(site).keys_of_crawl(site, crawl)

    def ids_of(self, site: SiteId, keys: Sequence[str]) -> list[str]:
        """Return the ids of the passages of pages."""
        return self._read(site).ids_of(site, keys)

    def all(self, site: SiteId) -> Iterator[tuple[IndexedPage, Passage]]:
        """Yield all passages with their pages."""
        return self._read(site).all(site)

    def get(self, site: SiteId, ids: Sequence[str]) -> dict[str, Passage]:
        """Return the passages with these ids."""
        return self._read(site).get(site, ids)

    def matching(self, site: SiteId, question: str, *, limit: int, pages: Sequence[str] | None = None) -> list[str]:
        """Return the ids of passages with words of the question, best first."""
        return self._read(site).matching(site, question, limit=limit, pages=pages)

    def matching_pages(self, site: SiteId, question: str, *, limit: int) -> list[str]:
        """Return the keys of pages with words of the question, best first."""
        return self._read(site).matching_pages(site, question, limit=limit)

    def set_state(self, site: SiteId, state: IndexState) -> None:
        """Store the state."""
        self._changed(site).set_state(site, state)

    def replace(self, site: SiteId, pages: Sequence[IndexedPage]) -> None:
        """Store pages with their passages."""
        self._changed(site).replace(site, pages)

    def remove(self, site: SiteId, keys: Sequence[str]) -> None:
        """Remove pages and their passages."""
        self._changed(site).remove(site, keys)

    def seen(self, site: SiteId, keys: Sequence[str], *, crawl: str) -> None:
        """Note that pages were unchanged in a crawl."""
        self._changed(site).seen(site, keys, crawl=crawl)

    def outdate(self, site: SiteId) -> None:
        """Forget the content hashes of all pages."""
        self._changed(site).outdate(site)

    def commit(self, site: SiteId) -> None:
        """Replace the object by the copy."""
        copy, path = self._copies.get(site), self._path(site)
        if copy is None or not copy.is_changed or not path.is_file():
            return
        with path.open("rb") as file:
            etag = self._bucket.replace(_key(site), file, etag=copy.etag)
        if etag is None:
            self._discard(site)
            raise StoreBusyError(f"the index of site {site.site} was changed by another process. Try again later")
        self._copies[site] = _Copy(etag=etag)

    def discard(self, site: SiteId) -> None:
        """Discard changes that are not committed."""
        if site in self._copies and self._copies[site].is_changed:
            self._discard(site)

    def _read(self, site: SiteId) -> SqlitePassages:
        if site not in self._copies:
            self._download(site)
        self._copies.move_to_end(site)
        return self._local

    def _changed(self, site: SiteId) -> SqlitePassages:
        local = self._read(site)
        self._copies[site].is_changed = True
        return local

    def _download(self, site: SiteId) -> None:
        path = self._path(site)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + PART)
        try:
            etag = self._bucket.download(_key(site), part)
            if etag is not None:
                part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._copies[site] = _Copy(etag=etag or "")
        self._make_room(besides=site)

    def _make_room(self, *, besides: SiteId) -> None:
        """Delete the least recently used copies, but none that has changes."""
        for site in [one for one, copy in self._copies.items() if one != besides and not copy.is_changed]:
            if sum(map(self.size, self._copies)) <= self._most_bytes:
                return
            self._discard(site)

    def _discard(self, site: SiteId) -> None:
        self._local.drop(site)
        del self._copies[site]

    def _path(self, site: SiteId) -> Path:
        return knowledge_folder(self._folder, site) / PASSAGES


def _key(site: SiteId) -> str:
    return (knowledge_folder(Path(), site) / PASSAGES).as_posix()
