"""Media of a crawl and stored assets: responses."""

from typing import Final

from pydantic import Field

from wavecrawl.api_models.types import AsOfWave, NextCursor, ResponseModel, Timestamp, Total
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind, MediaSource

TEXT_SHOWN: Final = 10_000
"""Maximum number of characters of a document's text in a response."""

_HASH = "SHA-256 of the content as received, which names the stored asset."
_SIZE = "Bytes of the content as received."
_STORED = "Bytes of the stored file."


class MediaUrl(ResponseModel):
    """A media URL that pages of the crawl use."""

    key: str = Field(description="Key of the media URL. It differs from that of a page with the same URL.")
    url: str
    kind: MediaKind
    state: UrlState
    reason: str = Field(
        description="Why the URL is in this state, such as `too_large`, `not_media` or `max_assets`. Empty if the "
        "state needs no reason."
    )
    detail: str = Field(description="Details of the reason, such as an error message.")
    status: int | None = Field(
        description="Status code of the response with the content. `null` if there was no response."
    )
    hash: str = Field(description=f"{_HASH} Empty if none is stored.")
    media_type: str = Field(description="Media type of the stored file. Empty if there is none.")
    bytes: int = Field(description="Bytes transferred in this crawl.")
    size: int | None = Field(description=f"{_SIZE} `null` if it is unknown.")
    stored_bytes: int | None = Field(description=f"{_STORED} `null` if there is none.")
    width: int | None = Field(description="Width of the stored image in pixels. `null` if it is unknown.")
    height: int | None = Field(description="Height of the stored image in pixels. `null` if it is unknown.")
    problem: str = Field(
        description="Why an image could not be made smaller, or why the text of a document is missing or incomplete."
    )
    file_name: str = Field(
        description="Name of the file in the URL, decoded and without control characters. Empty if the URL ends with a "
        "slash, and for players."
    )
    provider: str = Field(description="Provider of a player: `youtube` or `vimeo`. Empty for other media.")
    thumbnail: str = Field(
        description="URL of a picture of a player's video, which is not requested. Empty if it is unknown (Vimeo), "
        "and for other media."
    )
    embed_code: str = Field(description="HTML that shows a player on another page. Empty for other media.")
    title: str = Field(description="Title of a document.")
    pages: int | None = Field(description="Number of pages of a document. `null` if it is unknown.")
    duplicate_of: str = Field(description="The first media URL with the same content. Empty if this is the first one.")
    uses: int = Field(description="Number of pages that use the URL.")
    download_url: str | None = Field(
        description="URL of the stored file, valid for an hour and without an API key. `null` if there is none, and "
        "unless the request has `downloads`."
    )


class MediaList(ResponseModel):
    """Paginated list of media URLs."""

    media: list[MediaUrl]
    next_cursor: NextCursor
    total: Total
    as_of_wave: AsOfWave


class MediaUse(ResponseModel):
    """A use of an asset by a page."""

    url: str = Field(description="URL of the page.")
    key: str = Field(description="Key of the page.")
    media_url: str = Field(description="Media URL by which the page names the asset.")
    source: MediaSource
    text: str = Field(description="Alternative text of an image, text of a link, title of a frame.")
    position: int | None = Field(
        description="Position among the media of the page, from 1. `null` for a document that was found when it was "
        "requested as a page."
    )


class MediaUseList(ResponseModel):
    """Paginated list of uses of an asset."""

    uses: list[MediaUse]
    next_cursor: NextCursor
    total: Total
    as_of_wave: AsOfWave


class Asset(ResponseModel):
    """A stored image, video or document."""

    hash: str = Field(description=_HASH)
    kind: MediaKind
    media_type: str = Field(description="Media type of the stored file.")
    extension: str = Field(description="File extension of the stored file, without a dot.")
    size: int = Field(description=_SIZE)
    stored_bytes: int = Field(description=f"{_STORED} Never more than `size`.")
    width: int | None = Field(description="Width of the stored image in pixels. `null` if it is unknown.")
    height: int | None = Field(description="Height of the stored image in pixels. `null` if it is unknown.")
    problem: str = Field(
        description="Why an image could not be made smaller, or why the text of a document is missing or incomplete."
    )
    title: str = Field(description="Title of a document.")
    author: str = Field(description="Author of a document.")
    pages: int | None = Field(description="Number of pages of a document. `null` if it is unknown.")
    text: str = Field(description=f"Text of a document: the first {TEXT_SHOWN:,} characters.")
    markdown: str = Field(
        default="",
        description="The text as Markdown, with headings, lists, tables and links: the first "
        f"{TEXT_SHOWN:,} characters. Empty if the document has none of them.",
    )
    first_url: str = Field(description="Media URL from which it was downloaded first.")
    stored_at: Timestamp
    download_url: str | None = Field(
        description="URL of the stored file, valid for an hour and without an API key. `null` if the file is gone."
    )
