"""Uploaded lists of URLs: rows in SQLite, files in the data folder."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import crawl_folder, sync_folder
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.adapters.gzip_members import compressed_in_pieces
from wavecrawl.adapters.list_names import UPLOADS, list_name, upload_name
from wavecrawl.adapters.text_lines import lines_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.url_lists import UrlList, copy_name

if TYPE_CHECKING:
    from wavecrawl.adapters.embedded.uploads import Uploads

_PIECE = 1024 * 1024  # bytes
_UPLOAD_KEPT = 86_400.0  # seconds


class LocalUrlLists:
    """`ports.url_lists.UrlLists`."""

    def __init__(self, database: Database, root: Path, uploads: "Callable[[], Uploads]") -> None:
        self._rows = PackedTable(database, "url_list", UrlList, key=("tenant", "list"), columns=("version",))
        self._root = root
        self._uploads = uploads

    def create(self, row: UrlList) -> bool:
        """Store a new row; return False, with nothing changed, if its id is taken."""
        return self._rows.add(row)

    def read(self, tenant: str, list_: str) -> UrlList | None:
        """Return a row, or None."""
        return self._rows.get(tenant, list_)

    def update(self, row: UrlList) -> bool:
        """Replace the row whose version is one lower; return False if there is none."""
        return self._rows.replace(row, version=row.version)

    def of_tenant(self, tenant: str) -> list[UrlList]:
        """Return a tenant's rows by id."""
        return self._rows.find("tenant = ? ORDER BY list", tenant)

    def delete(self, tenant: str, list_: str) -> bool:
        """Delete the files, then the row; return whether the row existed."""
        for name in (upload_name(tenant, list_), list_name(tenant, list_)):
            (self._root / name).unlink(missing_ok=True)
        return self._rows.delete(tenant, list_)

    def delete_expired(self, now: float) -> None:
        """Delete the lists of all tenants that have expired, and uploads that are older than a day.

        The rules of the bucket and of the table do this in AWS.
        """
        for row in self._rows.find("TRUE ORDER BY tenant, list"):
            if 0 < row.expires_at < now:
                self.delete(row.tenant, row.list)
        for path in (self._root / UPLOADS).glob("*/*"):
            with suppress(FileNotFoundError):  # it was deleted meanwhile
                if path.stat().st_mtime < now - _UPLOAD_KEPT:
                    path.unlink()

    def upload_url(self, row: UrlList) -> str:
        """Return a signed URL of `wavecrawl serve`."""
        return self._uploads().url_of(upload_name(row.tenant, row.list), size=row.bytes)

    def uploaded(self, tenant: str, list_: str) -> Iterator[bytes] | None:
        """Return the pieces of the uploaded file, or None."""
        path = self._root / upload_name(tenant, list_)
        return _pieces(path) if path.is_file() else None

    def store(self, tenant: str, list_: str, urls: Iterable[str]) -> None:
        """Store the list, compressed, and delete the upload."""
        path = self._root / list_name(tenant, list_)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{uuid4().hex}{PART}")
        try:
            with part.open("wb") as file:
                file.writelines(compressed_in_pieces(lines_of(urls)))
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        sync_folder(path.parent)
        (self._root / upload_name(tenant, list_)).unlink(missing_ok=True)

    def keep(self, tenant: str, list_: str, *, forever: bool) -> None:
        """Do nothing: the row alone decides when the list is deleted."""

    def give(self, tenant: str, list_: str, crawl: CrawlId) -> bool:
        """Give the crawl a name of its own for the same file, which never changes."""
        source, target = self._root / list_name(tenant, list_), crawl_folder(self._root, crawl) / copy_name(list_)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except FileExistsError:
            return True
        except FileNotFoundError:
            return False
        sync_folder(target.parent)
        return True


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
