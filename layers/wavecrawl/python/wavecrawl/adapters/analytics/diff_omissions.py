"""What cannot be compared of two crawls, as one of them did not request it."""

from dataclasses import dataclass
from typing import Final

import duckdb

from wavecrawl.adapters.analytics.check_diff import ComparedChecks
from wavecrawl.domain.crawl.reached_limits import STOPS, stops
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.recrawl.history import BY_MODE, skipped_by_mode
from wavecrawl.ports.analytics import CrawlSummary

_DEPTH: Final = "max_depth"  # the setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Omissions:
    """What two crawls did not request, by the reasons of URLs."""

    reasons: frozenset[str]  # of the URLs that are not compared
    limits_before: tuple[str, ...]  # that kept the earlier crawl from reading known URLs
    limits_now: tuple[str, ...]  # the same of the later crawl
    skipped_before: int  # known URLs that the earlier crawl did not request because of its mode
    skipped_now: int  # the same of the later crawl
    checks: ComparedChecks

    @classmethod
    def of(cls, before: CrawlSummary, now: CrawlSummary) -> "Omissions":
        """Return what the earlier and the later crawl did not request.

        If both have the same limit of depth, they have the same reach, so that it hides no difference.
        """
        deeper = now.settings.get(_DEPTH) != before.settings.get(_DEPTH)
        left_out = BY_MODE | STOPS | ({Reason.MAX_DEPTH} if deeper else set())
        return cls(
            reasons=frozenset((*now.reasons, *before.reasons)) & left_out,
            limits_before=_limits(before, deeper=deeper),
            limits_now=_limits(now, deeper=deeper),
            skipped_before=skipped_by_mode(before.reasons),
            skipped_now=skipped_by_mode(now.reasons),
            checks=ComparedChecks.of(before, now),
        )


def leave_out(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> None:
    """Create table `left_out`, the keys that cannot be compared, from the views `ledger` and `old_ledger`.

    The views are only needed if there are omissions. A crawl that stopped at a limit may have missed any URL that the
    other one read, as it did not read all links. `known` is false for the URLs that it did not even know.
    """
    db.execute("CREATE TEMP TABLE left_out (key VARCHAR, known BOOLEAN)")
    if not omissions.reasons:
        return
    for prefix, other, limits in (("", "old_", omissions.limits_now), ("old_", "", omissions.limits_before)):
        db.execute(
            f"INSERT INTO left_out SELECT key, true FROM {prefix}ledger WHERE reason IN (SELECT unnest($1::VARCHAR[]))",
            [sorted(omissions.reasons)],
        )
        if limits:
            unknown = f"SELECT key, false FROM {other}pages ANTI JOIN {prefix}ledger USING (key)"
            db.execute(f"INSERT INTO left_out {unknown}")


def _limits(summary: CrawlSummary, *, deeper: bool) -> tuple[str, ...]:
    """Return the limits that a crawl reached; that of depth only if the other crawl has another one."""
    depth = (Reason.MAX_DEPTH.value,) if deeper and summary.reasons.get(Reason.MAX_DEPTH) else ()
    return tuple(sorted((*stops(summary.reasons), *depth)))
