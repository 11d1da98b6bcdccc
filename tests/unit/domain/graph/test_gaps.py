"""The gaps of a crawl in plain words."""

import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.graph.completeness import Way, cut_sitemap, unread_root, unread_sitemap, unread_sitemaps
from wavecrawl.domain.graph.gaps import Gap, named_gaps


def gap(why: str, reason: Reason = Reason.NONE, urls: int = 1, way: Way = Way.LINKS) -> Gap:
    return Gap(why=why, reason=reason, way=way, urls=urls)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (gap("not read (max_pages)", Reason.MAX_PAGES, 7), "the crawl stopped at max_pages"),
        (gap("not read (cancelled)", Reason.CANCELLED, 7), "the crawl was cancelled"),
        (gap("not read (robots_unreachable)", Reason.ROBOTS_UNREACHABLE, 2), "robots.txt could not be read"),
        (gap("not read (HTTP 503)", Reason.STATUS, 3), "3 pages failed (HTTP 503)"),
        (gap("not read (timeout)", Reason.TIMEOUT), "1 page failed (no complete response in time)"),
        (gap("not read (dns)", Reason.DNS, 2), "2 pages failed (the host name was not found (DNS))"),
        (gap("not rendered", urls=2), "2 pages were not rendered"),
        (gap("read in part"), "1 page was read in part"),
        (gap("not read (trap_template)", Reason.TRAP_TEMPLATE, 9), "9 pages were not read (trap_template)"),
        (gap(unread_sitemap("HTTP 503").why, way=Way.SITEMAP), "1 sitemap was not read (HTTP 503)"),
        (gap(cut_sitemap("limits").why, way=Way.SITEMAP, urls=2), "2 sitemaps were read in part (limits)"),
        (gap(unread_root(Discovery.LIST).why), "the start page was not read (list)"),
        (
            gap(unread_sitemaps(Discovery.LINKS_ONLY, stopped=Reason.NONE).why, way=Way.SITEMAP),
            "the sitemaps were not read (links_only)",
        ),
    ],
)
def test_a_gap_is_a_clause(found: Gap, expected: str) -> None:
    assert str(found) == expected


FAILED = gap("not read (HTTP 503)", Reason.STATUS, 3)
STOPPED = gap("not read (max_pages)", Reason.MAX_PAGES)
UNRENDERED = gap("not rendered", urls=9)


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ((), ""),
        ((FAILED,), "3 pages failed (HTTP 503)"),
        ((FAILED, STOPPED), "the crawl stopped at max_pages and 3 pages failed (HTTP 503)"),
        (
            (FAILED, UNRENDERED, STOPPED),
            "the crawl stopped at max_pages, 9 pages were not rendered, and for 1 more reason",
        ),
        (
            (gap("not read (a)", Reason.MAX_PAGES), gap("not read (b)", Reason.MAX_PAGES), FAILED),
            "the crawl stopped at max_pages and 3 pages failed (HTTP 503)",
        ),
    ],
)
def test_what_stopped_the_crawl_comes_first(gaps: tuple[Gap, ...], expected: str) -> None:
    assert named_gaps(gaps) == expected
