"""The rows of the table `media`: a media URL as it is at the end of a part, with its asset."""

from typing import Any

import msgspec

from wavecrawl.domain.crawl.ledger import FOUND_AS, UrlChange
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.media.asset import Asset, DocumentFacts
from wavecrawl.ports.parts import Table

_EXPECTED = {found_by: kind for kind, found_by in FOUND_AS.items()}
_OF_URL = ("id", "key", "url", "state", "reason", "detail", "found_in", "tries")
_OF_RECORD = (
    "status", "content_type", "final_url", "etag", "last_modified", "body_hash", "body_at", "bytes", "elapsed",
    "fetched_at",
)  # fmt: skip
_OF_ASSET = ("hash", "kind", "media_type", "extension", "stored_bytes", "width", "height")


class MediaRow:
    """The row of one media URL. Its texts are not kept, as they can be long."""

    __slots__ = ("_values", "is_settled_without_request")
    table = Table.MEDIA

    def __init__(self, change: UrlChange) -> None:
        self.is_settled_without_request = change.is_settled_without_request
        self._values: dict[str, Any] = {name: getattr(change, name) for name in _OF_URL}
        self._values["kind"] = _EXPECTED.get(change.found_by)

    def add(self, record: PageRecord, batch: str) -> None:
        """Add the terminal record of the URL, from a batch."""
        self._values |= {name: getattr(record, name) for name in _OF_RECORD}
        self._values["batch"] = batch
        if record.revalidated:  # the record of a resource has the size of the stored response
            self._values["bytes"] = 0
        asset = record.asset
        if asset is not None:
            self._values |= {name: getattr(asset, name) for name in _OF_ASSET}
            self._values["size"] = asset.bytes
            document = asset.document or DocumentFacts()
            self._values |= {"title": document.title, "author": document.author, "pages": document.pages}
            self._values |= {"problem": asset.problem or document.problem, "characters": len(document.text)}

    def line(self, number: int) -> bytes:
        """Return the row as JSON, in part `number`."""
        return msgspec.json.encode({**self._values, "wave": number}) + b"\n"


def texts_of(asset: Asset | None) -> tuple[str, str]:
    """Return the text of a document, and the same as Markdown if it has structure; "" of other assets."""
    document = None if asset is None else asset.document
    return ("", "") if document is None else (document.text, document.markdown)
