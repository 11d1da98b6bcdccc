"""An asset: the content of a media URL, stored once per tenant."""

from msgspec import Struct

from wavecrawl.domain.media.kinds import MediaKind


class DocumentFacts(Struct, frozen=True, kw_only=True, gc=False):
    """What was read from a document."""

    title: str = ""
    author: str = ""
    pages: int | None = None  # pages of a PDF, slides or sheets; None = unknown
    text: str = ""  # of the whole document, as far as limits allow
    markdown: str = ""  # the same with headings, lists, tables and links; "" = no structure
    problem: str = ""  # why the text is missing or incomplete, in one line


class Asset(Struct, frozen=True, kw_only=True, gc=False):
    """Everything about the content of a media URL."""

    hash: str  # SHA-256 of the content as received, 64 hex digits
    kind: MediaKind
    media_type: str  # of the stored file, found from its content: "image/png"
    extension: str  # of the stored file, without a dot: "png"
    bytes: int  # as received
    stored_bytes: int  # never more than `bytes`
    width: int | None = None  # of the stored file, in pixels; None = unknown
    height: int | None = None
    problem: str = ""  # why an image is stored as received although it could be smaller, or what it contains
    document: DocumentFacts | None = None  # documents only
