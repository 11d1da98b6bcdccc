"""Operations on the analysis of crawls."""

from collections.abc import Iterator
from functools import partial
from typing import TypedDict, Unpack

from wavecrawl.api_models.analysis import (
    CrawlDiff,
    CrawlStatistics,
    Difference,
    Duplicate,
    DuplicateList,
    Graph,
    Issue,
    IssueList,
    Orphan,
    OrphanList,
    TextChange,
    TextChangeList,
)
from wavecrawl.api_models.brand import CrawlBrand
from wavecrawl.api_models.checks import CheckedUrl, CheckList
from wavecrawl.client.operations import Operations, items
from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.duplicates import DuplicateKind


class CheckFilters(TypedDict, total=False):
    """Which checked URLs to list, and how many per request."""

    kind: CheckKind | None
    state: UrlState | None
    broken: bool | None
    verdict: Verdict | None
    limit: int | None


class IssueFilters(TypedDict, total=False):
    """Which issues to list, and how many per request."""

    kind: IssueName | None
    severity: Severity | None
    limit: int | None


class DuplicateFilters(TypedDict, total=False):
    """Which duplicates to list, and how many per request."""

    kind: DuplicateKind | None
    cluster: str | None
    limit: int | None


class TextChangeFilters(TypedDict, total=False):
    """Which changes of texts to list, and how many per request."""

    key: str | None
    limit: int | None


class AnalysisOperations(Operations):
    """Operations on the analysis of a crawl."""

    def get_graph(
        self,
        crawl: str,
        *,
        depth: int | None = None,
        around: str | None = None,
        steps: int | None = None,
        limit: int | None = None,
    ) -> Graph:
        """Get a part of the link graph: `depth` links from the root, or `steps` links `around` a page."""
        return self._get(Graph, "crawls", crawl, "graph", depth=depth, around=around, steps=steps, limit=limit)

    def list_orphans(self, crawl: str, *, cursor: str | None = None, limit: int | None = None) -> OrphanList:
        """List pages that sitemaps list and no crawled page links to."""
        return self._get(OrphanList, "crawls", crawl, "orphans", cursor=cursor, limit=limit)

    def iter_orphans(self, crawl: str, *, limit: int | None = None) -> Iterator[Orphan]:
        """Yield all orphans, `limit` per request."""
        return items(partial(self.list_orphans, crawl, limit=limit), lambda page: page.orphans)

    def list_checks(self, crawl: str, *, cursor: str | None = None, **filters: Unpack[CheckFilters]) -> CheckList:
        """List the checked URLs of a crawl, broken ones first."""
        return self._get(CheckList, "crawls", crawl, "checks", cursor=cursor, **filters)

    def iter_checks(self, crawl: str, **filters: Unpack[CheckFilters]) -> Iterator[CheckedUrl]:
        """Yield all checked URLs of a crawl, `limit` per request."""
        return items(partial(self.list_checks, crawl, **filters), lambda page: page.checks)

    def list_issues(self, crawl: str, *, cursor: str | None = None, **filters: Unpack[IssueFilters]) -> IssueList:
        """List the issues of the site, most severe kinds first."""
        return self._get(IssueList, "crawls", crawl, "issues", cursor=cursor, **filters)

    def iter_issues(self, crawl: str, **filters: Unpack[IssueFilters]) -> Iterator[Issue]:
        """Yield all issues, `limit` per request."""
        return items(partial(self.list_issues, crawl, **filters), lambda page: page.issues)

    def list_duplicates(
        self, crawl: str, *, cursor: str | None = None, **filters: Unpack[DuplicateFilters]
    ) -> DuplicateList:
        """List duplicates by the page that is kept, whose key is the `cluster`."""
        return self._get(DuplicateList, "crawls", crawl, "duplicates", cursor=cursor, **filters)

    def iter_duplicates(self, crawl: str, **filters: Unpack[DuplicateFilters]) -> Iterator[Duplicate]:
        """Yield all duplicates, `limit` per request."""
        return items(partial(self.list_duplicates, crawl, **filters), lambda page: page.duplicates)

    def get_statistics(self, crawl: str) -> CrawlStatistics:
        """Get the statistics of a crawl."""
        return self._get(CrawlStatistics, "crawls", crawl, "statistics")

    def get_crawl_brand(self, crawl: str) -> CrawlBrand:
        """Get the brand that a crawl found on the root page: colours, fonts and logo."""
        return self._get(CrawlBrand, "crawls", crawl, "brand")

    def compare_crawls(
        self,
        crawl: str,
        *,
        base: str,
        kind: DiffKind | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> CrawlDiff:
        """Compare a crawl with an earlier one (`base`) of the same site. With `kind`, list the differences."""
        return self._get(CrawlDiff, "crawls", crawl, "diff", base=base, kind=kind, cursor=cursor, limit=limit)

    def list_text_changes(
        self, crawl: str, *, base: str, cursor: str | None = None, **filters: Unpack[TextChangeFilters]
    ) -> TextChangeList:
        """List the changes of main texts since an earlier crawl (`base`) of the same site, as unified diffs."""
        return self._get(TextChangeList, *("crawls", crawl, "diff", "texts"), base=base, cursor=cursor, **filters)

    def iter_text_changes(self, crawl: str, *, base: str, **filters: Unpack[TextChangeFilters]) -> Iterator[TextChange]:
        """Yield all changes of main texts, `limit` per request."""
        return items(partial(self.list_text_changes, crawl, base=base, **filters), lambda page: page.changes)

    def iter_differences(
        self, crawl: str, *, base: str, kind: DiffKind, limit: int | None = None
    ) -> Iterator[Difference]:
        """Yield all differences of a kind, `limit` per request."""
        return items(
            partial(self.compare_crawls, crawl, base=base, kind=kind, limit=limit), lambda page: page.differences
        )
