"""Operations on analysis. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import (
    DifferenceShown,
    DiffKind,
    DiffShown,
    GraphShown,
    IssueList,
    IssueName,
    IssueShown,
    OrphanList,
    OrphanShown,
    Severity,
    StatisticsShown,
)


class AnalysisOperations(Calls):
    """Operations on analysis."""

    def compare_crawls(
        self,
        crawl: str,
        *,
        base: str,
        kind: DiffKind | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> DiffShown:
        """Compare with an earlier crawl.

        Say what differs from an earlier crawl of the same site: pages, links, depths.
        """
        return self._model(
            DiffShown,
            "GET",
            f"/v1/crawls/{quoted(crawl)}/diff",
            query={"base": base, "kind": kind, "cursor": cursor, "limit": limit},
        )

    def iter_compare_crawls(
        self, crawl: str, *, base: str, kind: DiffKind | None = None, limit: int | None = None
    ) -> Iterator[DifferenceShown]:
        """Compare with an earlier crawl: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[DifferenceShown], str | None]:
            page = self.compare_crawls(crawl, base=base, kind=kind, limit=limit, cursor=cursor)
            return page.differences, page.next_cursor

        return pages(fetch)

    def read_graph(
        self,
        crawl: str,
        *,
        depth: int | None = None,
        around: str | None = None,
        steps: int | None = None,
        limit: int | None = None,
    ) -> GraphShown:
        """Look at the link graph.

        Return a piece of the graph, small enough to draw: from the root down, or around a page.
        """
        return self._model(
            GraphShown,
            "GET",
            f"/v1/crawls/{quoted(crawl)}/graph",
            query={"depth": depth, "around": around, "steps": steps, "limit": limit},
        )

    def list_issues(
        self,
        crawl: str,
        *,
        kind: IssueName | None = None,
        severity: Severity | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> IssueList:
        """List issues.

        List what is wrong with the site, the gravest kinds first.
        """
        return self._model(
            IssueList,
            "GET",
            f"/v1/crawls/{quoted(crawl)}/issues",
            query={"kind": kind, "severity": severity, "cursor": cursor, "limit": limit},
        )

    def iter_issues(
        self, crawl: str, *, kind: IssueName | None = None, severity: Severity | None = None, limit: int | None = None
    ) -> Iterator[IssueShown]:
        """List issues: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[IssueShown], str | None]:
            page = self.list_issues(crawl, kind=kind, severity=severity, limit=limit, cursor=cursor)
            return page.issues, page.next_cursor

        return pages(fetch)

    def list_orphans(self, crawl: str, *, cursor: str | None = None, limit: int | None = None) -> OrphanList:
        """List orphans.

        List pages that sitemaps name and no crawled page links to, and what keeps them from a verdict.
        """
        return self._model(
            OrphanList, "GET", f"/v1/crawls/{quoted(crawl)}/orphans", query={"cursor": cursor, "limit": limit}
        )

    def iter_orphans(self, crawl: str, *, limit: int | None = None) -> Iterator[OrphanShown]:
        """List orphans: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[OrphanShown], str | None]:
            page = self.list_orphans(crawl, limit=limit, cursor=cursor)
            return page.orphans, page.next_cursor

        return pages(fetch)

    def read_statistics(self, crawl: str) -> StatisticsShown:
        """Count everything.

        Return the numbers of a crawl: by state, reason, status, type, depth, verdict and kind of issue.
        """
        return self._model(StatisticsShown, "GET", f"/v1/crawls/{quoted(crawl)}/statistics")
