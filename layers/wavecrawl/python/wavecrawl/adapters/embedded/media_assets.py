"""Assets in SQLite and a folder."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

from wavecrawl.adapters.asset_files import asset_name, disposition_of, shortened
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.downloads import Downloads
from wavecrawl.adapters.embedded.folder import sync_folder
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.ports.media_assets import StoredAsset

_PAGE = 100  # rows per query


class LocalMediaAssets:
    """`ports.media_assets.MediaAssets`.

    Files get and lose their names within write transactions, of which SQLite runs one at a time, so that no row is
    without its file. A process that dies leaves at most a file without a row, which the next `put` replaces.
    """

    def __init__(self, database: Database, root: Path, downloads: Callable[[], Downloads]) -> None:
        self._database = database
        self._root = root
        self._downloads = downloads  # of the process that serves the folder; workers need no signing key
        self._rows = PackedTable(database, "asset", StoredAsset, key=("tenant", "hash"), columns=("kind",))

    def put(self, tenant: str, asset: Asset, path: Path, *, url: str, now: float) -> bool:
        """Store an asset and its file unless it is stored already; return whether this call stored it."""
        if self.read(tenant, asset.hash) is not None:
            return False
        final = self._root / asset_name(tenant, asset)
        final.parent.mkdir(parents=True, exist_ok=True)
        part = final.with_name(f"{final.name}.{os.getpid()}.{uuid4().hex}.part")
        row = shortened(StoredAsset(asset=asset, first_url=url, stored_at=now))
        try:
            with path.open("rb") as source, part.open("wb") as target:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fsync(target.fileno())
            with self._database.transaction():
                if self.read(tenant, asset.hash) is not None:
                    return False
                part.replace(final)
                sync_folder(final.parent)
                return self._rows.add(row, tenant=tenant, hash=asset.hash, kind=asset.kind.value)
        finally:
            part.unlink(missing_ok=True)

    def read(self, tenant: str, hash_: str) -> StoredAsset | None:
        """Return an asset, or None."""
        return self._rows.get(tenant, hash_)

    def list(
        self, tenant: str, *, kind: MediaKind | None = None, after: str = "", limit: int = 100
    ) -> Iterator[StoredAsset]:
        """Yield assets by hash, those after the hash `after`."""
        is_one, values = ("kind = ?", (kind.value,)) if kind else ("TRUE", ())
        while limit > 0:
            where = f"tenant = ? AND hash > ? AND {is_one} ORDER BY hash LIMIT {min(limit, _PAGE)}"
            found = self._rows.find(where, tenant, after, *values)
            if not found:
                return
            yield from found
            limit -= len(found)
            after = found[-1].asset.hash

    def delete(self, tenant: str, hash_: str) -> bool:
        """Delete an asset: first its row, then its file, unless it was stored again meanwhile."""
        stored = self.read(tenant, hash_)
        if stored is None or not self._rows.delete(tenant, hash_):
            return False
        with self._database.transaction():
            if self.read(tenant, hash_) is None:
                (self._root / asset_name(tenant, stored.asset)).unlink(missing_ok=True)
        return True

    def open(self, tenant: str, hash_: str) -> bytes | None:
        """Return the stored file, or None."""
        stored = self.read(tenant, hash_)
        try:
            return (self._root / asset_name(tenant, stored.asset)).read_bytes() if stored else None
        except FileNotFoundError:  # deleted meanwhile
            return None

    def signed_url(self, tenant: str, hash_: str) -> str | None:
        """Return a URL that downloads the stored file without an API key, None if it does not exist."""
        stored = self.read(tenant, hash_)
        if stored is None:
            return None
        asset = stored.asset
        return self._downloads().url_of(
            asset_name(tenant, asset), content_type=asset.media_type, disposition=disposition_of(asset)
        )
