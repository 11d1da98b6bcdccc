"""Vectors in SQLite, one file per site, compared one by one: exact, and quick up to 100,000 passages (ADR 28)."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from wavecrawl.adapters.knowledge.missing import needed
from wavecrawl.adapters.knowledge.site_files import PathOf, SiteFile
from wavecrawl.ports.knowledge import Space

if TYPE_CHECKING:
    import numpy as np

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    space TEXT NOT NULL, id TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (space, id));
CREATE TABLE IF NOT EXISTS version (space TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""
_KEPT = 4  # spaces in memory: 1 KiB per vector of 256 dimensions


class _Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """The vectors of a space in memory."""

    version: int
    ids: list[str]
    rows: "np.ndarray[tuple[int, int], np.dtype[np.float32]]"


class SqliteVectors:
    """`ports.knowledge.Vectors`. Processes can search while another one writes."""

    def __init__(self, folder_of: PathOf) -> None:
        self._file = SiteFile(folder_of=folder_of, name="vectors.sqlite", schema=_SCHEMA)
        self._kept: OrderedDict[Space, _Matrix] = OrderedDict()
        self._lock = Lock()

    def put(self, space: Space, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors by id."""
        import numpy as np  # noqa: PLC0415 - optional

        rows = [(_name(space), id_, np.asarray(vector, dtype="<f4").tobytes()) for id_, vector in vectors.items()]
        with self._file.opened(space.site) as db:
            db.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
            db.execute(_NEXT_VERSION, (_name(space),))

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Delete vectors."""
        self._delete(space, "AND id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))

    def ids(self, space: Space) -> Iterator[str]:
        """Yield all ids."""
        if self._file.exists(space.site):
            with self._file.opened(space.site) as db:
                rows = db.execute("SELECT id FROM vector WHERE space = ?", (_name(space),)).fetchall()
            yield from (id_ for (id_,) in rows)

    def nearest(self, space: Space, vector: Sequence[float], *, limit: int) -> list[str]:
        """Return the ids of the nearest vectors, best first."""
        with needed("numpy"):
            import numpy as np  # noqa: PLC0415 - optional

        matrix = self._matrix(space)
        if matrix is None or not matrix.ids:
            return []
        scores = matrix.rows @ np.asarray(vector, dtype=np.float32)
        return [matrix.ids[place] for place in np.argsort(-scores, kind="stable")[:limit]]

    def drop(self, space: Space) -> None:
        """Delete all vectors of the space."""
        self._delete(space, "")

    def _delete(self, space: Space, condition: str, *values: str) -> None:
        if self._file.exists(space.site):
            with self._file.opened(space.site) as db:
                db.execute(f"DELETE FROM vector WHERE space = ? {condition}", (_name(space), *values))  # noqa: S608 - constants
                db.execute(_NEXT_VERSION, (_name(space),))

    def _matrix(self, space: Space) -> _Matrix | None:
        """Return the vectors of a space, read again if they have changed."""
        import numpy as np  # noqa: PLC0415 - optional

        if not self._file.exists(space.site):
            return None
        with self._lock, self._file.opened(space.site) as db:
            found = db.execute("SELECT number FROM version WHERE space = ?", (_name(space),)).fetchone()
            version = found[0] if found else 0
            matrix = self._kept.get(space)
            if matrix is None or matrix.version != version:
                rows = db.execute(
                    "SELECT id, vector FROM vector WHERE space = ? ORDER BY id", (_name(space),)
                ).fetchall()
                joined = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4")
                matrix = _Matrix(
                    version=version, ids=[id_ for id_, _ in rows], rows=joined.reshape(len(rows), space.dimensions)
                )
                self._kept[space] = matrix
            self._kept.move_to_end(space)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return matrix


_NEXT_VERSION = """
INSERT INTO version VALUES (?, 1) ON CONFLICT (space) DO UPDATE SET number = number + 1
"""


def _name(space: Space) -> str:
    return f"{space.embedder}/{space.dimensions}"
