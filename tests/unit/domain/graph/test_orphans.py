import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import Blocker, Completeness, unread_sitemap, unread_sitemaps
from wavecrawl.domain.graph.orphans import NO_SITEMAP, Verdict, evidence_of, evidence_of_unread, verdict_of, why_unknown

ROBOTS = Blocker(why="not read (robots)", kind=BlockerKind.BARRED)
LIMIT = Blocker(why="not read (max_pages)", kind=BlockerKind.INCOMPLETE)


@pytest.mark.parametrize(
    ("blockers", "verdict"),
    [({}, Verdict.ORPHAN), ({ROBOTS: 3}, Verdict.LIKELY), ({LIMIT: 1}, Verdict.INCONCLUSIVE),
     ({ROBOTS: 3, LIMIT: 1}, Verdict.INCONCLUSIVE)],
)  # fmt: skip
def test_only_gaps_of_the_crawl_leave_the_verdict_open(blockers: dict[Blocker, int], verdict: Verdict) -> None:
    assert verdict_of(Completeness(blockers=blockers)) is verdict


@pytest.mark.parametrize(
    ("blockers", "pages", "sentence"),
    [
        ({}, 236, "No link from any of the 236 pages read"),
        ({ROBOTS: 1}, 236, "No link from any of the 236 pages read; 1 page not read (robots)"),
        ({LIMIT: 1_200}, 2, "No link from any of the 2 pages read; 1,200 pages not read (max_pages)"),
        ({}, 1, "No link from the only page read"),
        ({LIMIT: 1}, 0, "No page was read; 1 page not read (max_pages)"),
    ],
)  # fmt: skip
def test_a_verdict_comes_with_its_evidence(blockers: dict[Blocker, int], pages: int, sentence: str) -> None:
    assert evidence_of(Completeness(blockers=blockers), pages=pages) == sentence


def test_verdicts_read_as_people_say_them() -> None:
    assert [verdict.value for verdict in Verdict] == ["orphan", "likely", "inconclusive"]


def test_the_evidence_on_an_unread_page_begins_with_why_it_was_not_read() -> None:
    assert evidence_of_unread("not read (max_pages)", "No page was read") == "Not read (max_pages). No page was read"


@pytest.mark.parametrize(
    ("blockers", "why"),
    [
        ({}, NO_SITEMAP),
        ({LIMIT: 3}, NO_SITEMAP),
        ({unread_sitemap("HTTP 503"): 2, LIMIT: 3}, "Orphans cannot be found: 2 sitemaps not read (HTTP 503)"),
        (
            {unread_sitemaps(Discovery.LINKS_ONLY, stopped=Reason.NONE): 1},
            "Orphans cannot be found: sitemaps not read (links_only)",
        ),
    ],
)
def test_without_a_sitemap_orphans_are_unknown(blockers: dict[Blocker, int], why: str) -> None:
    assert why_unknown(Completeness(blockers=blockers), sitemaps=0) == why
    assert why_unknown(Completeness(blockers=blockers), sitemaps=1) == ""
