"""What the results of a crawl say about media."""

import msgspec

from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind, MediaSource


class MediaRow(msgspec.Struct, frozen=True, kw_only=True):
    """A media URL of a crawl."""

    key: str
    url: str
    kind: MediaKind
    state: UrlState
    reason: str
    detail: str
    status: int | None
    hash: str  # of the asset; "" if none is stored
    media_type: str
    bytes: int  # transferred in this crawl
    size: int | None = None  # bytes of the content as received, and
    stored_bytes: int | None = None  # as stored
    width: int | None = None  # pixels
    height: int | None = None
    problem: str
    file_name: str  # from the URL; "" for players
    provider: str  # of a player: "youtube" or "vimeo"
    thumbnail: str  # URL of a picture of the player's video; "" if it is unknown
    embed_code: str  # HTML that shows the player
    title: str  # of a document
    pages: int | None = None
    duplicate_of: str  # the first media URL with the same content; "" if this is it
    uses: int  # pages that use it


class PageMedia(msgspec.Struct, frozen=True, kw_only=True):
    """A media URL that a page uses."""

    url: str
    key: str
    hash: str  # of the asset; "" if none is stored
    kind: MediaKind
    source: MediaSource
    text: str
    position: int | None  # from 1; None for a document that was found when it was requested as a page
    state: UrlState
    reason: str


class AssetUse(msgspec.Struct, frozen=True, kw_only=True):
    """A use of an asset by a page."""

    url: str  # of the page
    key: str  # of the page
    media_url: str
    source: MediaSource
    text: str
    position: int | None
