"""The vector stores that the contract and the property tests run over."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors
from wavecrawl.ports.knowledge import Vectors


@contextmanager
def sqlite(folder: Path) -> Iterator[Vectors]:
    """Vectors in files."""
    yield SqliteVectors(lambda site: knowledge_folder(folder, site))


STORES: Mapping[str, Callable[[Path], AbstractContextManager[Vectors]]] = {"sqlite": sqlite}
