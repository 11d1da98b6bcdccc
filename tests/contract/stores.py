"""The adapters that every contract suite runs over. Each later adapter joins here, and must pass what is here."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderArchive, FolderObjects
from wavecrawl.adapters.embedded.rows import SqliteCrawls, SqliteHostGate, SqlitePageMemories, SqliteRobotsCache
from wavecrawl.adapters.embedded.work import SqliteBatches, SqliteClaims, SqliteWaves
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.claims import Claims
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.robots_cache import RobotsCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """One process's view of one store."""

    claims: Claims
    batches: Batches
    waves: Waves
    crawls: Crawls
    memories: PageMemories
    hosts: HostGate
    robots: RobotsCache
    objects: Objects
    archive: Archive


@contextmanager
def embedded(folder: Path) -> Iterator[Callable[[], Stores]]:
    """Yield a function that opens the same store again, as another process would."""
    opened: list[Database] = []

    def another() -> Stores:
        database = Database(folder / "wavecrawl.sqlite")
        opened.append(database)
        return Stores(
            claims=SqliteClaims(database),
            batches=SqliteBatches(database),
            waves=SqliteWaves(database),
            crawls=SqliteCrawls(database),
            memories=SqlitePageMemories(database),
            hosts=SqliteHostGate(database),
            robots=SqliteRobotsCache(database),
            objects=FolderObjects(folder),
            archive=FolderArchive(folder),
        )

    yield another
    for database in opened:
        database.close()


ADAPTERS = {"embedded": embedded}
