"""An asset processor and an asset store without libraries: content is told by its first bytes and stored as sent."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock

from msgspec import structs

from wavecrawl.domain.media.asset import Asset, DocumentFacts
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.errors import UnusableAssetError
from wavecrawl.ports.asset_processor import ProcessedAsset
from wavecrawl.ports.media_assets import TEXT_SHOWN, StoredAsset

_TYPES = {
    b"\x89PNG": (MediaKind.IMAGE, "image/png", "png"),
    b"GIF8": (MediaKind.IMAGE, "image/gif", "gif"),
    b"<svg": (MediaKind.IMAGE, "image/svg+xml", "svg"),
    b"\xff\xd8\xff": (MediaKind.IMAGE, "image/jpeg", "jpg"),
    b"%PDF": (MediaKind.DOCUMENT, "application/pdf", "pdf"),
    b"\x00\x00\x00\x18": (MediaKind.VIDEO, "video/mp4", "mp4"),
}


class PlainProcessor:
    """`ports.asset_processor.AssetProcessor`: the text of a document is its content after the first line.

    A text that begins with a heading is Markdown.
    """

    def process(self, path: Path, *, wanted: frozenset[MediaKind]) -> ProcessedAsset:
        """Return the asset in a file."""
        data = path.read_bytes()
        kind, media_type, extension = next(
            (found for magic, found in _TYPES.items() if data.startswith(magic)), (None, "", "")
        )
        if kind is None or kind not in wanted:
            raise UnusableAssetError("it is no image, video or document that the crawl stores")
        facts = None
        if kind is MediaKind.DOCUMENT:
            text = data.partition(b"\n")[2].decode()
            markdown = text if text.startswith("# ") else ""
            facts = DocumentFacts(title="A document", pages=1, text=plain_text(text), markdown=markdown)
        asset = Asset(
            hash=sha256(data).hexdigest(),
            kind=kind,
            media_type=media_type,
            extension=extension,
            bytes=len(data),
            stored_bytes=len(data),
            document=facts,
        )
        return ProcessedAsset(asset=asset, path=path)


class MemoryAssets:
    """`ports.media_assets.MediaAssets`, in memory."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], StoredAsset] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        self.puts = 0
        self._lock = Lock()

    def put(self, tenant: str, asset: Asset, path: Path, *, url: str, now: float) -> bool:
        """Store an asset unless it is stored."""
        key = tenant, asset.hash
        with self._lock:
            self.puts += 1
            if key in self.rows:
                return False
            if asset.document is not None:
                shown = structs.replace(asset.document, text=asset.document.text[:TEXT_SHOWN])
                asset = structs.replace(asset, document=shown)
            self.rows[key] = StoredAsset(asset=asset, first_url=url, stored_at=now)
            self.files[key] = path.read_bytes()
            return True

    def read(self, tenant: str, hash_: str) -> StoredAsset | None:
        """Return an asset."""
        return self.rows.get((tenant, hash_))

    def list(
        self, tenant: str, *, kind: MediaKind | None = None, after: str = "", limit: int = 100
    ) -> Iterator[StoredAsset]:
        """Yield assets by hash."""
        found = sorted(key for key in self.rows if key[0] == tenant and key[1] > after)
        rows = [self.rows[key] for key in found if kind in (None, self.rows[key].asset.kind)]
        yield from rows[:limit]

    def delete(self, tenant: str, hash_: str) -> bool:
        """Delete an asset."""
        self.files.pop((tenant, hash_), None)
        return self.rows.pop((tenant, hash_), None) is not None

    def open(self, tenant: str, hash_: str) -> bytes | None:
        """Return the file."""
        return self.files.get((tenant, hash_))

    def signed_url(self, tenant: str, hash_: str) -> str | None:
        """Return a URL of its own kind."""
        return f"memory://{tenant}/{hash_}" if (tenant, hash_) in self.files else None
