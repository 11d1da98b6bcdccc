"""SQLite files of a site's knowledge index, one connection per operation."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import CorruptDataError, StoreBusyError

PathOf = Callable[[SiteId], Path]
"""Returns the folder of a site's index. The folder need not exist."""

_BUSY_SECONDS = 30.0  # how long an operation waits for one of another process


def knowledge_folder(root: Path, site: SiteId) -> Path:
    """Return the folder of a site's index in a data folder."""
    return root / "tenants" / site.tenant / "sites" / site.site / "knowledge"


class SiteFile(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of file, in the folder of each site's index."""

    folder_of: PathOf
    name: str
    schema: str  # statements that can be repeated

    def exists(self, site: SiteId) -> bool:
        """Return whether the site has the file."""
        return self._path(site).is_file()

    @contextmanager
    def opened(self, site: SiteId) -> Iterator[sqlite3.Connection]:
        """Open the file; create it if it does not exist. The block is one transaction.

        Raise StoreBusyError if another process has it for too long, CorruptDataError if it cannot be read.
        """
        path = self._path(site)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(self.schema)
                with connection:
                    yield connection
        except sqlite3.OperationalError as error:
            raise StoreBusyError(f"{path}: {error}") from error
        except sqlite3.DatabaseError as error:
            message = f"{path} cannot be read ({error}); delete it, and index the site again: wavecrawl index"
            raise CorruptDataError(message) from error

    def delete(self, site: SiteId) -> None:
        """Delete the file."""
        for suffix in ("-wal", "-shm", ""):
            self._path(site).with_name(self.name + suffix).unlink(missing_ok=True)

    def _path(self, site: SiteId) -> Path:
        return self.folder_of(site) / self.name
