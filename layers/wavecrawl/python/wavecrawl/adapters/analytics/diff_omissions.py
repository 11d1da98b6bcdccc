"""What cannot be compared of two crawls, as one of them did not request it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import duckdb
import msgspec

from wavecrawl.adapters.analytics.check_diff import ComparedChecks
from wavecrawl.adapters.analytics.database import ISO_TIME
from wavecrawl.domain.crawl.reached_limits import STOPS, stops
from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.recrawl.history import BY_MODE, skipped_by_mode
from wavecrawl.ports.analytics import CrawlSummary

_DEPTH: Final = "max_depth"  # the setting
_DISCOVERY: Final = "discovery"  # the setting
_SCOPE: Final = "scope"  # the group of settings
_BY_SETTING: Final[Mapping[str, frozenset[Reason]]] = MappingProxyType(
    {
        _SCOPE: frozenset((Reason.OUT_OF_SCOPE, Reason.EXCLUDED, Reason.NOT_INCLUDED)),
        "follow_nofollow": frozenset((Reason.NOFOLLOW,)),
        "follow_redirects": frozenset((Reason.REDIRECTS_NOT_FOLLOWED,)),
        "max_redirects": frozenset((Reason.REDIRECT_LIMIT,)),
        "max_url_length": frozenset((Reason.TOO_LONG,)),
    }
)
"""Setting, or group of settings -> the reasons of the URLs that it leaves out."""


class Omissions(msgspec.Struct, frozen=True, kw_only=True):
    """What two crawls did not request, by the reasons of URLs."""

    reasons: frozenset[str]  # of the URLs that are not compared
    limits_before: tuple[str, ...]  # that kept the earlier crawl from reading known URLs
    limits_now: tuple[str, ...]  # the same of the later crawl
    skipped_before: int  # known URLs that the earlier crawl did not request because of its mode
    skipped_now: int  # the same of the later crawl
    unreached: bool  # whether a crawl found URLs of hosts that cannot be reached, which it did not request
    checks: ComparedChecks
    different_settings: tuple[str, ...]  # that decide which URLs are crawled, if the crawls differ in them
    part_before: bool  # whether the earlier crawl tells nothing of URLs that it did not know, as it followed no links
    part_now: bool  # the same of the later crawl
    ended_before: str  # when the earlier crawl ended, as in its history.csv
    ended_now: str  # the same of the later crawl

    @property
    def exist(self) -> bool:
        """Whether there may be URLs that are not compared."""
        return bool(self.reasons or self.part_before or self.part_now)

    @classmethod
    def of(cls, before: CrawlSummary, now: CrawlSummary) -> "Omissions":
        """Return what the earlier and the later crawl did not request.

        If both have the same limit of depth and the same scope, their reach is the same: it hides no difference.
        """
        different = _different_settings(before, now)
        part_before, part_now = _is_part(before, different), _is_part(now, different)
        deeper = now.settings.get(_DEPTH) != before.settings.get(_DEPTH)
        left_out = {*BY_MODE, *STOPS}
        if deeper:
            left_out.add(Reason.MAX_DEPTH)
        for name in different:
            left_out |= _BY_SETTING.get(name.partition(".")[0], frozenset())
        if part_before or part_now:
            left_out.add(Reason.LINKS_NOT_FOLLOWED)
        return cls(
            reasons=frozenset((*now.reasons, *before.reasons)) & left_out,
            limits_before=_limits(before, deeper=deeper),
            limits_now=_limits(now, deeper=deeper),
            skipped_before=skipped_by_mode(before.reasons),
            skipped_now=skipped_by_mode(now.reasons),
            unreached=not UNREACHABLE.keys().isdisjoint((*now.reasons, *before.reasons)),
            checks=ComparedChecks.of(before, now),
            different_settings=different,
            part_before=part_before,
            part_now=part_now,
            ended_before=f"{before.timing.finished_at:{ISO_TIME}}",
            ended_now=f"{now.timing.finished_at:{ISO_TIME}}",
        )


def leave_out(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> None:
    """Create table `left_out`, the keys that cannot be compared, from the views `ledger` and `old_ledger`.

    The views are only needed if there are omissions. A crawl that stopped at a limit or follows no links may have
    missed any URL that the other one read, as it did not read all links. `known` is false for the URLs that it did not
    even know.
    """
    db.execute("CREATE TEMP TABLE left_out (key VARCHAR, known BOOLEAN)")
    if not omissions.exist:
        return
    now, before = omissions.limits_now or omissions.part_now, omissions.limits_before or omissions.part_before
    for prefix, other, is_part in (("", "old_", now), ("old_", "", before)):
        db.execute(
            f"INSERT INTO left_out SELECT key, true FROM {prefix}ledger WHERE reason IN (SELECT unnest($1::VARCHAR[])) "
            f"AND (reason <> '{Reason.LINKS_NOT_FOLLOWED}' OR key IN (SELECT key FROM {other}pages))",
            [sorted(omissions.reasons)],
        )
        if is_part:
            unknown = f"SELECT key, false FROM {other}pages ANTI JOIN {prefix}ledger USING (key)"
            db.execute(f"INSERT INTO left_out {unknown}")


def list_unreached(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> None:
    """Create tables `unreached` and `old_unreached`: the pages of hosts that cannot be reached, with their problem.

    They were not requested, so they are in the views `ledger` and `old_ledger` only. Links to them are broken.
    """
    reasons = ", ".join(f"'{reason}'" for reason in UNREACHABLE)
    for prefix in ("", "old_"):
        db.execute(f"CREATE TEMP TABLE {prefix}unreached (key VARCHAR, url VARCHAR, now VARCHAR)")
        if omissions.unreached:
            db.execute(
                f"""
                INSERT INTO {prefix}unreached
                SELECT key, url, concat_ws(' ', state, nullif(detail, '')) FROM {prefix}ledger
                WHERE state = 'failed' AND reason IN ({reasons})
                  AND key NOT IN (SELECT key FROM {prefix}all_pages) AND key NOT IN (SELECT key FROM {prefix}hidden)
                """
            )


def _limits(summary: CrawlSummary, *, deeper: bool) -> tuple[str, ...]:
    """Return the limits that a crawl reached; that of depth only if the other crawl has another one."""
    depth = (Reason.MAX_DEPTH.value,) if deeper and summary.reasons.get(Reason.MAX_DEPTH) else ()
    return tuple(sorted((*stops(summary.reasons), *depth)))


def _different_settings(before: CrawlSummary, now: CrawlSummary) -> tuple[str, ...]:
    """Return the settings that decide which URLs are crawled, if both crawls have them and they differ."""
    one, other = _reach(before), _reach(now)
    return tuple(name for name in one if name in other and one[name] != other[name])


def _reach(summary: CrawlSummary) -> dict[str, object]:
    scope = summary.settings.get(_SCOPE)
    named = {f"{_SCOPE}.{name}": value for name, value in scope.items()} if isinstance(scope, dict) else {}
    single = (name for name in (_DISCOVERY, *_BY_SETTING) if name != _SCOPE)
    return named | {name: summary.settings[name] for name in single if name in summary.settings}


def _is_part(summary: CrawlSummary, different: tuple[str, ...]) -> bool:
    """Return whether a crawl follows no links, so that it does not know what the other one found in another way.

    Two lists may differ: the stored settings of a crawl do not contain its list.
    """
    discovery = summary.settings.get(_DISCOVERY)
    return discovery == Discovery.LIST or (discovery == Discovery.SITEMAP_ONLY and _DISCOVERY in different)
