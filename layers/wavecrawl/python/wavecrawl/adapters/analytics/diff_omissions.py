"""What cannot be compared of two crawls, as one of them did not request it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import duckdb

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.ports.analytics import CrawlSummary

_BY_MODE: Final = frozenset((Reason.NOT_DUE, Reason.QUARANTINED))
_BY_LIMIT: Final = frozenset(
    (Reason.MAX_PAGES, Reason.MAX_TRIES, Reason.TIME_LIMIT, Reason.BUDGET, Reason.FRONTIER_CAP, Reason.CANCELLED)
)
_DEPTH: Final = "max_depth"  # the setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Omissions:
    """What two crawls did not request, by the reasons of URLs."""

    reasons: frozenset[str]  # of the URLs that are not compared
    limits_before: tuple[str, ...]  # that kept the earlier crawl from reading known URLs
    limits_now: tuple[str, ...]  # the same of the later crawl

    @classmethod
    def of(cls, before: CrawlSummary, now: CrawlSummary) -> "Omissions":
        """Return what the earlier and the later crawl did not request.

        If both have the same limit of depth, they have the same reach, so that it hides no difference.
        """
        limits = set(_BY_LIMIT)
        if now.settings.get(_DEPTH) != before.settings.get(_DEPTH):
            limits.add(Reason.MAX_DEPTH)
        return cls(
            reasons=frozenset((*now.reasons, *before.reasons)) & (_BY_MODE | limits),
            limits_before=_values(limits, before.reasons),
            limits_now=_values(limits, now.reasons),
        )


def leave_out(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> None:
    """Create table `left_out`, the keys that cannot be compared, from the views `ledger` and `old_ledger`.

    The views are only needed if there are omissions. A crawl that stopped at a limit may have missed any URL that the
    other one read, as it did not read all links.
    """
    db.execute("CREATE TEMP TABLE left_out (key VARCHAR)")
    if not omissions.reasons:
        return
    for prefix, other, limits in (("", "old_", omissions.limits_now), ("old_", "", omissions.limits_before)):
        db.execute(
            f"INSERT INTO left_out SELECT key FROM {prefix}ledger WHERE reason IN (SELECT unnest($1::VARCHAR[]))",
            [sorted(omissions.reasons)],
        )
        if limits:
            db.execute(f"INSERT INTO left_out SELECT key FROM {other}pages ANTI JOIN {prefix}ledger USING (key)")


def _values(limits: set[Reason], reasons: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(limit.value for limit in limits if reasons.get(limit)))
