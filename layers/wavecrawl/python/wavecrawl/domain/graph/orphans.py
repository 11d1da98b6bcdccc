"""Verdicts on orphan pages: pages that a sitemap lists, and that no page which the crawl read links to."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from wavecrawl.domain.counts import counted
from wavecrawl.domain.graph.completeness import Completeness, Way

NO_SITEMAP: Final = (
    "No sitemap found, so orphans cannot be found. Name one in robots.txt, in a line such as "
    '"Sitemap: https://example.com/sitemap.xml"'
)


class Verdict(StrEnum):
    """Verdict on a sitemap page that no crawled page links to.

    - `orphan`: the crawl has read everything
    - `likely`: it has read all that it may read; a page that it may not read might have the link
    - `inconclusive`: it has gaps of its own, and the link may be in one of them
    """

    ORPHAN = "orphan"
    LIKELY = "likely"
    INCONCLUSIVE = "inconclusive"


def verdict_of(completeness: Completeness) -> Verdict:
    """Return the verdict on the orphans of a crawl."""
    if completeness.is_incomplete:
        return Verdict.INCONCLUSIVE
    return Verdict.ORPHAN if completeness.is_whole else Verdict.LIKELY


def evidence_of(completeness: Completeness, *, pages: int) -> str:
    """Return the evidence of the verdict in one sentence; `pages`: the number of pages that were read."""
    read = "No page was read" if not pages else "No link from the only page read"
    if pages > 1:
        read = f"No link from any of the {counted(pages, 'page')} read"
    return f"{read}; {completeness}" if not completeness.is_whole else read


def why_no_orphans(orphans: Mapping[str, int] | None, evidence: str) -> str:
    """Return why nothing definite is known of orphans, "" if their verdicts are definite.

    `orphans`: their number by verdict, None if they cannot be found; `evidence`: of the verdicts, or why that is so.
    """
    if orphans is None:
        return evidence
    unsure = orphans.get(Verdict.INCONCLUSIVE, 0)
    return f"{counted(unsure, 'orphan is', 'orphans are')} inconclusive. {evidence}" if unsure else ""


def evidence_of_unread(why: str, evidence: str) -> str:
    """Return the evidence on a page of a sitemap that was not read itself. `why`: that of its blocker."""
    return f"{why.capitalize()}. {evidence}"


def why_unknown(completeness: Completeness, *, sitemaps: int) -> str:
    """Return why orphans cannot be found, "" if they can. `sitemaps`: the number of sitemaps that were read."""
    if sitemaps:
        return ""
    unread = completeness.of_way(Way.SITEMAP)
    return NO_SITEMAP if unread.is_whole else f"Orphans cannot be found: {unread}"
