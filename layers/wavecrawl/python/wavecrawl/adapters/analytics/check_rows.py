"""The rows of the table `checks`: a checked URL as it is at the end of a part."""

from typing import Any

import msgspec

from wavecrawl.domain.crawl.ledger import CHECKED_AS, UrlChange
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.ports.parts import Table

_KINDS = {found_by: kind for kind, found_by in CHECKED_AS.items()}
_OF_URL = ("id", "key", "url", "state", "reason", "detail", "found_in", "tries")
_OF_RECORD = ("status", "content_type", "final_url", "response_time", "fetched_at")
_PERMANENT = (301, 308)


def is_check(change: UrlChange) -> bool:
    """Return whether the change is that of a checked URL."""
    return change.found_by in _KINDS


class CheckRow:
    """The row of one checked URL."""

    __slots__ = ("_values", "is_settled_without_request")
    table = Table.CHECKS

    def __init__(self, change: UrlChange) -> None:
        self.is_settled_without_request = change.is_settled_without_request
        self._values: dict[str, Any] = {name: getattr(change, name) for name in _OF_URL}
        self._values["kind"] = _KINDS[change.found_by]

    def add(self, record: PageRecord, batch: str) -> None:
        """Add the terminal record of the URL, from a batch."""
        hops = [hop.status for hop in record.hops]
        self._values |= {name: getattr(record, name) for name in _OF_RECORD}
        self._values |= {"batch": batch, "redirects": len(hops)}
        self._values["moved"] = bool(hops) and all(status in _PERMANENT for status in hops)

    def line(self, number: int) -> bytes:
        """Return the row as JSON, in part `number`."""
        return msgspec.json.encode({**self._values, "wave": number}) + b"\n"
