"""Pages below each other with the same text: a server that answers every path, with relative links."""

from itertools import product

import pytest
from tests.unit.domain.traps.test_trap_rules import Site, page, prose

from wavecrawl.domain.crawl.record import Reason

NAMES = ("about", "news", "contact")


def paths(depth: int) -> list[str]:
    """Return the paths that relative links lead to, folders of a depth."""
    return ["".join(f"/{name}" for name in names) + "/" for names in product(NAMES, repeat=depth)]


def below(path: str) -> str:
    return path[: path.rstrip("/").rfind("/") + 1]


def learn(site: Site, text: str, *, depth: int) -> None:
    site.learn(page("/", text))
    for level in range(1, depth + 1):
        for path in paths(level):
            site.learn(page(path, text), found_on=below(path))


def test_urls_below_pages_with_the_text_of_pages_above_are_suppressed() -> None:
    site = Site()
    learn(site, "Welcome to our home page", depth=2)  # 9 pages are evidence
    assert site.reason("/about/news/about/", found_on="/about/news/") is Reason.NONE
    learn(site, "Welcome to our home page", depth=3)
    assert site.reason("/about/news/about/", found_on="/about/news/") is Reason.TRAP_TEMPLATE
    assert site.reason("/about/news/about/new.html", found_on="/about/news/about/") is Reason.TRAP_TEMPLATE
    evidence = site.evidence("/about/news/about/", found_on="/about/news/")
    assert evidence.startswith("12 pages in a row have the text of other pages, and were found on pages that have it")
    assert site.reason("/about/news/about/", found_on="/sitemap.html") is Reason.NONE
    assert site.reason("/about/", found_on="/") is Reason.NONE


def test_evidence_of_one_host_says_nothing_of_another() -> None:
    site = Site()
    learn(site, "Welcome to our home page", depth=3)
    other = "https://other.example/about/news/"
    assert site.rules.suppression(f"{other}about/", parent=other) is None


def test_a_program_that_answers_whatever_follows_its_name_has_no_end() -> None:
    site = Site()
    site.learn(page("/start.php", "The same page"))
    folder = "/start.php"
    for letter in "abcdefghijklm":
        assert site.reason(f"{folder}/{letter}", found_on=folder) is Reason.NONE
        site.learn(page(f"{folder}/{letter}", "The same page"), found_on=folder)
        folder = f"{folder}/{letter}"
    assert site.reason(f"{folder}/n", found_on=folder) is Reason.TRAP_TEMPLATE
    assert site.reason("/other.html", found_on="/start.php") is Reason.NONE


@pytest.mark.parametrize("text", ["", "different"])
def test_other_pages_below_each_other_are_no_evidence(text: str) -> None:
    site = Site()
    site.learn(page("/", text))
    for level in (1, 2, 3):
        for path in paths(level):
            site.learn(page(path, text and prose(path)), found_on=below(path))
    assert site.families.closed == {}


def test_home_pages_of_regions_may_be_that_of_the_site() -> None:
    site = Site()
    site.learn(page("/", "Our shop"))
    for region in range(40):
        site.learn(page(f"/r{region}x/", "Our shop"), found_on="/")
        site.learn(page(f"/r{region}x/goods/", prose(region)), found_on=f"/r{region}x/")
    assert site.families.closed == {}
    assert site.reason("/r1x/goods/one/", found_on="/r1x/") is Reason.NONE
