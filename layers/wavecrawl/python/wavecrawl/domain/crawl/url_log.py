"""Lines of the log about single URLs: which URLs have one, and its fields."""

from typing import Final

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.record import PageRecord

MESSAGE: Final = "url"
"""The message of such a line."""

_DIGITS: Final = 8  # of the url key, which is a hash


def is_logged(key: str, share: float) -> bool:
    """Return whether a URL is among the logged ones. `key`: its url key. `share`: of all URLs, from 0 to 1.

    The choice depends on the URL only, so it is the same for any number of workers, and all tries of a URL are logged.
    """
    return int(key[:_DIGITS], 16) < share * 16**_DIGITS


def url_fields(record: PageRecord, batch: BatchId, *, processing: float) -> dict[str, object]:
    """Return the fields of a line. `processing`: seconds of CPU time that the page took."""
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
        "fetch_seconds": round(record.elapsed, 6),
        "processing_seconds": round(processing, 6),
    }
