import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.titles import cut_title, last_part, learn_endings


@pytest.mark.parametrize(
    ("titles", "endings"),
    [
        ([], ()),
        (["", ""], ()),
        (["Home", "About", "Contact"], ()),
        (["About Us | MySite", "Contact | MySite", "Home | MySite"], (" | MySite",)),
        (["About Us | MySite", "Contact | MySite"], ()),  # two pages may agree by chance
        (["a - Site"] * 3 + ["b"] * 3, (" - Site",)),
        (["a - Site"] * 3 + ["b"] * 4, ()),  # less than half of the pages
        (["a - Site"] * 3 + [""] * 9, (" - Site",)),  # pages without a title do not count
        (["A - x", "B - y", "C - z"], ()),
        (["A | Guide | Site", "B | Guide | Site", "C | Guide | Site"], (" | Site", " | Guide")),
        ([f"{n} | d | c | b | a" for n in range(3)], (" | a", " | b", " | c")),
        (["Site", "A \u2013 Site", "B \u2013 Site", "C \u2013 Site"], (" \u2013 Site",)),
        (["a | x"] * 3 + ["a | y"] * 3, (" | x", " | y")),
        (["a :: Site", "b :: Site", "c :: Site"], (" :: Site",)),
        (["a-Site", "b-Site", "c-Site"], ()),
    ],
)
def test_the_site_name_is_learned_from_many_titles(titles: list[str], endings: tuple[str, ...]) -> None:
    assert learn_endings(titles) == endings


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("About Us | MySite", "About Us"),
        ("Models | Handbook | MySite", "Models"),
        ("Models | Handbook", "Models"),
        ("MySite", "MySite"),
        (" | MySite", " | MySite"),
        ("About - MySite", "About - MySite"),
        ("About |  | MySite", "About |"),
    ],
)
def test_learned_endings_are_cut(title: str, cut: str) -> None:
    assert cut_title(title, (" | MySite", " | Handbook")) == cut


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("A | B", " | B"),
        ("A | B - C", " - C"),
        ("A \u00bb B \u203a C", " \u203a C"),
        ("A: B", ""),
        ("A : B", " : B"),
        ("A-B", ""),
        ("", ""),
        (" | B", ""),
    ],
)
def test_the_last_part_begins_at_the_last_separator(title: str, part: str) -> None:
    assert last_part(title) == part


@given(st.lists(st.text("ab |-", max_size=12), max_size=12))
def test_no_title_is_cut_to_nothing(titles: list[str]) -> None:
    endings = learn_endings(titles)
    assert len(endings) <= 3
    assert all(cut_title(title, endings) for title in titles if title)
