"""Assets as models of the API."""

from wavecrawl.api_models.media import Asset
from wavecrawl.api_models.types import timestamp
from wavecrawl.domain.media.asset import DocumentFacts
from wavecrawl.ports.media_assets import TEXT_SHOWN, StoredAsset


def asset_model(stored: StoredAsset, *, download_url: str | None) -> Asset:
    """Return everything about an asset."""
    asset, document = stored.asset, stored.asset.document or DocumentFacts()
    return Asset(
        hash=asset.hash,
        kind=asset.kind,
        media_type=asset.media_type,
        extension=asset.extension,
        size=asset.bytes,
        stored_bytes=asset.stored_bytes,
        width=asset.width,
        height=asset.height,
        problem=asset.problem or document.problem,
        title=document.title,
        author=document.author,
        pages=document.pages,
        text=document.text[:TEXT_SHOWN],
        markdown=document.markdown[:TEXT_SHOWN],
        first_url=stored.first_url,
        stored_at=timestamp(stored.stored_at),
        download_url=download_url,
    )
