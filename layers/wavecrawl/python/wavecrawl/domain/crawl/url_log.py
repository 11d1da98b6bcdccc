"""Lines of the log about single URLs: which URLs have one, and its fields."""

from typing import Final

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.pages.page import LinkKind

MESSAGE: Final = "url"
"""The message of such a line."""

_DIGITS: Final = 8  # of the url key, which is a hash


def is_logged(key: str, share: float) -> bool:
    """Return whether a URL is among the logged ones. `key`: its url key. `share`: of all URLs, from 0 to 1.

    The choice depends on the URL only, so it is the same for any number of workers, and all tries of a URL are logged.
    """
    return int(key[:_DIGITS], 16) < share * 16**_DIGITS


def url_fields(record: PageRecord, batch: BatchId, *, processing: float) -> dict[str, object]:
    """Return the fields of a line. `processing`: seconds of CPU time that the page took.

    `links` is the number of URLs that the page links to, without canonical links. `links` and `text_hash` are None if
    this try read no HTML page.
    """
    facts = record.facts
    return {
        "crawl": str(batch.crawl),
        "wave": batch.wave,
        "batch": batch.batch,
        "url": record.url,
        "state": record.state.value,
        "reason": record.reason.value,
        "status": record.status,
        "tries": record.tries,
        "depth": record.depth,
        "bytes": record.bytes,
        "text_hash": None if facts is None else facts.text_hash,
        "links": None if facts is None else sum(link.kind is not LinkKind.CANONICAL for link in record.links),
        "fetch_seconds": round(record.elapsed, 6),
        "processing_seconds": round(processing, 6),
    }
