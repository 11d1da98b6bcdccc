"""The changes since an earlier crawl of the site that the report lists: a limited number of each kind."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.analytics.comparisons import two_crawls
from wavecrawl.adapters.analytics.crawl_diff import differences, prepare
from wavecrawl.adapters.analytics.diff_omissions import Omissions
from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.analytics import CrawlSummary, EarlierCrawl
from wavecrawl.ports.results import DiffRow, Part

LISTED: Final = (
    DiffKind.CHANGED,
    DiffKind.NEW,
    DiffKind.GONE,
    DiffKind.NOT_SEEN,
    DiffKind.MOVED,
    DiffKind.REDIRECT_CHANGED,
    DiffKind.BROKEN_LINK,
    DiffKind.MENDED_LINK,
)
MOST = 25
"""Maximum differences of each kind."""

MOST_PAGES = 50_000
"""Maximum pages of each crawl. The end of a larger crawl does not wait for the comparison; `wavecrawl diff` does it."""

_MEMORY_MB = 256  # beside the memory of the tables of the crawl


class ListedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The differences of a crawl from an earlier one."""

    earlier: str  # ID of that crawl
    kinds: Mapping[DiffKind, Part[DiffRow]]  # of the kinds in `LISTED`, each with its total
    limits: frozenset[str]  # that kept one of the crawls from reading known URLs (`DiffCounts`)
    different_settings: Sequence[str]  # that decide which URLs are crawled (`DiffCounts`)
    skipped: int  # known URLs that one of the crawls did not request because of its mode


def listed_changes(
    earlier: EarlierCrawl, summary: CrawlSummary, folder: Path, *, scratch: Path
) -> ListedChanges | None:
    """Compare the results of a crawl in `folder` with an earlier crawl.

    Return None if results are missing, or if one of the crawls has more than `MOST_PAGES` pages.

    Raise StoreBusyError if that needs too much memory, CorruptDataError if results cannot be read.
    """
    base, crawl = earlier.crawl, replace(earlier.crawl, crawl=summary.crawl)
    with TemporaryDirectory(prefix="earlier-", dir=scratch) as copies:

        def paths_of(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
            return [
                _there(folder / name) if id_ == crawl else earlier.fetch(id_, name, Path(copies))
                for id_, name in wanted
            ]

        exports = OpenedExports(paths_of, earlier.hidden, memory_mb=_MEMORY_MB, scratch=scratch)
        try:
            before = exports.summary(base)
            if max(before.pages, summary.pages) > MOST_PAGES:
                return None
            omissions = Omissions.of(before, summary)
            with two_crawls(exports, base, crawl, omissions) as db:
                prepare(db)
                kinds = {one: read_part(db, differences(one), DiffRow, limit=MOST, after=None) for one in LISTED}
        except NotFoundError:
            return None
    return ListedChanges(
        earlier=base.crawl,
        kinds=kinds,
        limits=frozenset((*omissions.limits_before, *omissions.limits_now)),
        different_settings=omissions.different_settings,
        skipped=max(omissions.skipped_before, omissions.skipped_now),
    )


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None
