"""Names and headers of the stored files of assets, the same in a folder and in S3."""

from msgspec import structs
from msgspec.structs import replace

from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.ports.media_assets import TEXT_SHOWN, StoredAsset

_FOLDERS = {MediaKind.IMAGE: "images", MediaKind.VIDEO: "videos", MediaKind.DOCUMENT: "documents"}
_SCRIPTABLE = frozenset(("image/svg+xml",))


def asset_name(tenant: str, asset: Asset) -> str:
    """Return the object name of an asset's file."""
    return f"tenants/{tenant}/media/{_FOLDERS[asset.kind]}/{saved_as(asset)}"


def saved_as(asset: Asset) -> str:
    """Return the file name for a download."""
    return f"{asset.hash}.{asset.extension}"


def disposition_of(asset: Asset) -> str:
    """Return the Content-Disposition of an asset.

    Browsers show pictures and videos. SVG images can contain scripts, and documents too: they are saved.
    """
    is_shown = asset.kind is not MediaKind.DOCUMENT and asset.media_type not in _SCRIPTABLE
    return f'{"inline" if is_shown else "attachment"}; filename="{saved_as(asset)}"'


def shortened(row: StoredAsset) -> StoredAsset:
    """Return a row with the part of a document's text that is stored."""
    document = row.asset.document
    if document is None or max(len(document.text), len(document.markdown)) <= TEXT_SHOWN:
        return row
    shown = structs.replace(document, text=document.text[:TEXT_SHOWN], markdown=document.markdown[:TEXT_SHOWN])
    return replace(row, asset=structs.replace(row.asset, document=shown))
