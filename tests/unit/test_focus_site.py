"""The generated site of the focused crawls has the known answer that it promises."""

from collections import Counter

import pytest
from tests.support.focus_site import PAGES, FocusSite, focus_site

from wavecrawl.demo.model import name_of


@pytest.fixture(name="made", scope="module")
def generated() -> FocusSite:
    return focus_site()


def test_it_has_5000_pages_of_which_600_are_worth_having(made: FocusSite) -> None:
    pages = {page.path for page in made.site.pages}
    assert len(pages) == PAGES == len(made.site.pages)
    assert len(made.worth) == 600
    assert pages >= made.worth | set(made.traps) | set(made.duplicates) | set(made.duplicates.values())
    assert not made.worth & (set(made.traps) | set(made.duplicates))
    assert Counter(made.traps.values()) == {
        "facets": 695,
        "calendar": 600,
        "pagination": 400,
        "session": 300,
        "json": 300,
        "segments": 100,
    }


def test_links_lead_to_all_pages_and_nowhere_else(made: FocusSite) -> None:
    pages = made.site.by_name()
    found, waiting = {"/"}, ["/"]
    while waiting:
        targets = {link.target for link in pages[waiting.pop()].links} - found
        found |= targets
        waiting += targets
    assert found == set(pages)


def test_the_same_seed_gives_the_same_site(made: FocusSite) -> None:
    assert focus_site() == made
    assert focus_site(seed=1).site != made.site


def test_names_are_their_own_identity(made: FocusSite) -> None:
    assert all(name_of(path) == path for path in [*made.worth, *made.traps])
