"""The request that a page is said to lack does not depend on the order of the responses."""

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest

from wavecrawl.adapters.browser.page_troubles import PageTroubles

SITE = "https://site.example"


def response(path: str, status: int, *, kind: str = "fetch") -> Any:
    request = SimpleNamespace(
        url=f"{SITE}{path}", method="GET", resource_type=kind, is_navigation_request=lambda: False, failure=None
    )
    return SimpleNamespace(request=request, status=status, headers={})


@pytest.mark.parametrize("found", [*permutations((response("/b", 503), response("/a", 500), response("/0", 404)))])
def test_of_several_failures_the_first_by_name_counts(found: tuple[Any, ...]) -> None:
    troubles = PageTroubles(f"{SITE}/")
    for one in found:
        troubles.responded(one)
    assert troubles.failure == (f"its request for {SITE}/a responded with 500", True)


@pytest.mark.parametrize("found", [*permutations((response("/b", 404), response("/a", 403)))])
def test_a_failure_that_lasts_counts_if_no_other_may_pass(found: tuple[Any, ...]) -> None:
    troubles = PageTroubles(f"{SITE}/")
    assert troubles.failure == ("", False)
    for one in found:
        troubles.responded(one)
    assert troubles.failure == (f"its request for {SITE}/a responded with 403", False)
