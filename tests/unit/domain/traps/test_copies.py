"""Copies that lead to further copies: URLs without end with the text of pages that were read before."""

from collections.abc import Callable
from itertools import product

import pytest
from msgspec.structs import replace
from tests.unit.domain.traps.test_trap_rules import SITE, Site, page, prose

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.settings import TemplateTrapSettings, TrapSettings

LANGUAGES = ("en", "de", "fr", "es")


def switched(site: Site, path: str, *, times: int, versions: tuple[str, ...] = ()) -> str:
    """Learn a page, and the copies of it that its menu leads to when languages are added; return the last path."""
    site.learn(page(path, "The same text"), found_on="/")
    last = path
    for words in product(LANGUAGES, repeat=4):
        for depth in range(1, 5):
            copied = f"/{'/'.join(words[:depth])}{path}"
            above = f"/{'/'.join(words[: depth - 1])}{path}" if depth > 1 else path
            if times == 0:
                return last
            if site.families.get(SITE + copied) is None:
                times -= 1
                site.learn(replace(page(copied, "The same text"), versions=versions), found_on=above)
                last = copied
    raise AssertionError


def test_urls_that_only_copies_lead_to_are_suppressed_after_twelve_copies_that_copies_led_to() -> None:
    site = Site()
    last = switched(site, "/a", times=12)  # the first, /en/a, was found on a page that is none
    assert site.reason("/fr/en/de/a", found_on=last) is Reason.NONE
    site = Site()
    last = switched(site, "/a", times=30)
    assert site.reason("/fr/es/de/a", found_on=last) is Reason.TRAP_TEMPLATE
    assert site.reason("/new", found_on=last) is Reason.TRAP_TEMPLATE
    assert site.reason("/new", found_on="/a") is Reason.NONE  # the page that was read first
    evidence = site.evidence("/new", found_on=last)
    assert evidence.startswith("12 pages in a row have the text of other pages, and were found on pages that have it")
    assert f"{SITE}/en/en/" in evidence
    other = "https://other.example/x"
    assert site.rules.suppression(f"{other}/y", parent=other) is None


def test_the_rule_can_be_disabled() -> None:
    site = Site(TrapSettings(template=TemplateTrapSettings(enabled=False)))
    last = switched(site, "/a", times=30)
    assert site.reason("/new", found_on=last) is Reason.NONE


def regional(path: Callable[[str, int], str], regions: int, pages: int) -> Site:
    """Return a site whose regions have the same pages, each found on the page before and in each region."""
    site = Site()
    names = [f"r{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(regions)]
    for number in range(pages):
        for region in names:
            before = path(region, number - 1) if number else "/"
            site.learn(page(path(region, number), prose(number)), found_on=before)
    return site


@pytest.mark.parametrize("regions", [2, 40])
def test_regions_with_the_same_pages_are_no_evidence(regions: int) -> None:
    assert regional(lambda region, number: f"/{region}/page-{number}", regions, 30).families.closed == {}


def test_versions_that_pages_declare_are_no_evidence() -> None:
    site = Site()
    switched(site, "/a", times=60, versions=(f"{SITE}/a",))
    assert site.families.closed == {}


def test_numbers_choose_what_a_page_shows() -> None:
    site = Site()
    for number in range(1, 40):
        site.learn(page(f"/user/{number}", "This user has not written anything yet"), found_on=f"/user/{number - 1}")
    assert site.families.closed == {}


def test_a_page_with_another_text_that_a_copy_leads_to_starts_the_count_again() -> None:
    site = Site()
    site.learn(page("/a", "The same text"), found_on="/")
    site.learn(page("/b/a", "The same text"), found_on="/a")
    for number in range(30):
        word = f"{chr(97 + number % 26)}{'z' * (number // 26 + 1)}"
        text = prose(number) if number % 10 == 0 else "The same text"
        site.learn(page(f"/{word}/a", text), found_on="/b/a")
    assert site.families.closed == {}


def test_a_page_that_nearly_has_the_text_of_the_page_it_was_found_on_is_a_copy() -> None:
    site = Site()
    text = prose("program")
    before = "/index.php"
    site.learn(page(before, text), found_on="/")
    for number in range(14):
        path = f"{before}/{chr(97 + number)}"
        site.learn(page(path, f"{text} {path}"), found_on=before)
        before = path
    assert site.reason(f"{before}/z", found_on=before) is Reason.TRAP_TEMPLATE


def test_the_same_words_below_near_copies_lead_to_ever_new_urls() -> None:
    site = Site()
    text = prose("program")
    site.learn(page("/index.php/", text), found_on="/")
    for depth in (1, 2, 3):
        for words in product("ab", repeat=depth):
            path = f"/index.php/{'/'.join(words)}/"
            above = path[: path.rfind("/", 0, -1) + 1]
            site.learn(page(path, f"{text} {path}"), found_on=above)
    assert site.reason("/index.php/a/b/a/a/", found_on="/index.php/a/b/a/") is Reason.TRAP_TEMPLATE


def test_a_wave_has_few_urls_that_copies_lead_to() -> None:
    site = Site()
    site.learn(page("/a", "The same text"), found_on="/")
    site.learn(page("/b/a", "The same text"), found_on="/a")
    assert dict(site.rules.limits(f"{SITE}/c", parent=f"{SITE}/a")) == {}
    assert dict(site.rules.limits(f"{SITE}/c", parent=f"{SITE}/b/a")) == {f"copies {SITE}": 12}


def test_json_and_pages_without_text_are_no_copies() -> None:
    site = Site()
    for path in ("/a", "/b"):
        site.learn(page(path, ""), found_on="/")
        site.learn(PageEvidence(url=f"{SITE}{path}.json", fingerprint=5, is_json=True), found_on="/")
    assert not any(map(site.rules.is_copy, (f"{SITE}/a", f"{SITE}/b", f"{SITE}/a.json", f"{SITE}/b.json")))
