"""The generated site of the focused crawls has the known answer that it promises."""

from collections import Counter

from tests.support.focus_site import PAGES, focus_site

from wavecrawl.demo.model import name_of

SITE = focus_site()


def test_it_has_5000_pages_of_which_600_are_worth_having() -> None:
    pages = {page.path for page in SITE.site.pages}
    assert len(pages) == PAGES == len(SITE.site.pages)
    assert len(SITE.worth) == 600
    assert pages >= SITE.worth | set(SITE.traps) | set(SITE.duplicates) | set(SITE.duplicates.values())
    assert not SITE.worth & (set(SITE.traps) | set(SITE.duplicates))
    assert Counter(SITE.traps.values()) == {
        "facets": 695,
        "calendar": 600,
        "pagination": 400,
        "session": 300,
        "json": 300,
        "segments": 100,
    }


def test_links_lead_to_all_pages_and_nowhere_else() -> None:
    pages = SITE.site.by_name()
    found, waiting = {"/"}, ["/"]
    while waiting:
        targets = {link.target for link in pages[waiting.pop()].links} - found
        found |= targets
        waiting += targets
    assert found == set(pages)


def test_the_same_seed_gives_the_same_site() -> None:
    assert focus_site() == SITE
    assert focus_site(seed=1).site != SITE.site


def test_names_are_their_own_identity() -> None:
    assert all(name_of(path) == path.removesuffix("/") or path == "/" for path in [*SITE.worth, *SITE.traps])
