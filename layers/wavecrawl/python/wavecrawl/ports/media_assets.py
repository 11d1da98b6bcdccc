"""The assets of tenants: each content is stored once, by its SHA-256."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind

TEXT_SHOWN = 10_000
"""Characters of a document's text, and of its Markdown, that are stored with its asset. Page records have all of it."""


class StoredAsset(msgspec.Struct, frozen=True, kw_only=True):
    """An asset in the store. The text and the Markdown of its document have at most `TEXT_SHOWN` characters."""

    asset: Asset
    first_url: str  # from which it was downloaded first
    stored_at: float  # Unix seconds


class MediaAssets(Protocol):
    """The assets of a tenant. Contract: tests/contract/test_media_assets.py.

    File and row are named by the hash of the content as received, so any number of workers that store the same content
    store one file and one row. An asset can be read if its file is stored, whatever else happens at the same time.
    """

    def put(self, tenant: str, asset: Asset, path: Path, *, url: str, now: float) -> bool:
        """Store an asset and its file unless it is stored already; return whether this call stored it.

        Raise StoreBusyError if the asset is being deleted.
        """
        ...

    def read(self, tenant: str, hash_: str) -> StoredAsset | None:
        """Return an asset, or None."""
        ...

    def list(
        self, tenant: str, *, kind: MediaKind | None = None, after: str = "", limit: int = 100
    ) -> Iterator[StoredAsset]:
        """Yield assets by hash, those after the hash `after`."""
        ...

    def delete(self, tenant: str, hash_: str) -> bool:
        """Delete an asset; return whether it existed."""
        ...

    def open(self, tenant: str, hash_: str) -> bytes | None:
        """Return the stored file, or None."""
        ...

    def signed_url(self, tenant: str, hash_: str) -> str | None:
        """Return a URL that downloads the stored file without an API key, for `ports.exports.LIFETIME`."""
        ...
