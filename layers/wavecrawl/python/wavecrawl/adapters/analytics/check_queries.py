"""Queries over the checked URLs in a crawl's exports."""

from wavecrawl.adapters.analytics.opened_exports import Export, OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part
from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.check_results import CheckedUrl
from wavecrawl.ports.results import Mark, Part

_CHECKS = """
    SELECT key, url, kind, state, reason, coalesce(detail, '') AS detail, status, broken, verdict,
           evidence, coalesce(final_url, '') AS final_url, coalesce(redirects, 0) AS redirects,
           coalesce(moved, FALSE) AS moved, response_ms, pages,
           if(page_key IN (SELECT key FROM hidden), '', page) AS page, row
    FROM checks
    WHERE ($kind = '' OR kind = $kind) AND ($state = '' OR state = $state)
      AND ($broken::BOOLEAN IS NULL OR broken = $broken) AND ($verdict = '' OR verdict = $verdict)
      AND ($url = '' OR url = $url) AND row > $row
    ORDER BY row LIMIT $limit
"""


class CheckQueries:
    """The part of `ports.results.Results` about checked URLs."""

    _exports: OpenedExports

    def checks(
        self,
        crawl: CrawlId,
        *,
        kind: CheckKind | None = None,
        state: UrlState | None = None,
        broken: bool | None = None,
        verdict: Verdict | None = None,
        url: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[CheckedUrl]:
        """Return checked URLs, broken ones first, then in order of discovery."""
        values: dict[str, object] = {"kind": kind or "", "state": state or "", "broken": broken, "url": url}
        values["verdict"] = verdict or ""
        with self._exports.tables({"": crawl}, Export.CHECKS) as db:
            return read_part(db, _CHECKS, CheckedUrl, values, limit=limit, after=after)
