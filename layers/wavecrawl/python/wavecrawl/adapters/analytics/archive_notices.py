"""The notices on a full archive: what a browser needs and the archive lacks."""

from collections.abc import Iterator
from typing import Final

import duckdb

from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings

_LIMITS: Final = {
    Reason.MAX_RESOURCES: "archive.max_resources",
    Reason.ARCHIVE_FULL: "archive.max_mb",
    Reason.TOO_LARGE: "archive.max_resource_mb",
    Reason.MAX_REQUESTS: "max_requests",
}


def archive_notices(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> Iterator[Notice]:
    """Yield a notice for each limit that left resources out, and one for all others. Needs table `media`."""
    if not settings.archive.is_full:
        return
    rows = db.execute(
        """
        SELECT if(reason IN ('', 'status'), state, reason) AS why, count(*) AS resources FROM media
        WHERE kind = 'resource' AND state NOT IN ('fetched', 'unchanged') GROUP BY why ORDER BY resources DESC, why
        """
    ).fetchall()
    left = dict(rows)
    for reason, setting in _LIMITS.items():
        if count := left.pop(reason.value, 0):
            resources = counted(count, "resource is", "resources are")
            yield Notice(subject=setting, message=f"{resources} not archived because of this limit; raise the setting")
    if left:
        total = counted(sum(left.values()), "resource is", "resources are")
        reasons = ", ".join(f"{count:,} {why}" for why, count in left.items())
        yield Notice(subject="archive", message=f"{total} not archived ({reasons}); media.csv lists them")
