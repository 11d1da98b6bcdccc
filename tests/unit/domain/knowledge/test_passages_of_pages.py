from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.knowledge.fate import Fate, fate_of
from wavecrawl.domain.knowledge.fusion import fused
from wavecrawl.domain.knowledge.markdown_lines import HEADING_CHARACTERS
from wavecrawl.domain.knowledge.passage import Passage, SourceText, passages_of
from wavecrawl.domain.knowledge.snippet import marks, snippet

TEXT = "# Guide\n\nHello.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse apt.\n\n## Remove\n\nDelete it."


def page(text: str = TEXT, **changes: str) -> SourceText:
    return SourceText(**{"key": "k", "url": "https://e.example/", "title": "Guide", "text": text, **changes})


def made(
    markdown: str, *, characters: int = 1_000, overlap: int = 0, fragments: Mapping[int, str] | None = None
) -> list[Passage]:
    return list(passages_of(page(), markdown, characters=characters, overlap=overlap, fragments=fragments or {}))


def test_a_passage_has_the_headings_of_its_beginning_without_the_title() -> None:
    passages = made(TEXT, characters=20)
    assert [one.headings for one in passages] == [(), ("Install",), ("Install", "Linux"), ("Remove",)]
    assert [one.text for one in passages] == [
        "Guide\n\nHello.",
        "Install\n\nRun it.",
        "Linux\n\nUse apt.",
        "Remove\n\nDelete it.",
    ]
    assert [one.markdown for one in passages] == [
        "# Guide\n\nHello.",
        "## Install\n\nRun it.",
        "### Linux\n\nUse apt.",
        "## Remove\n\nDelete it.",
    ]
    assert [one.position for one in passages] == [0, 1, 2, 3]
    assert passages[0].tokens == 5  # "#", "Guide", the blank line, "Hello" and "."
    assert passages[2].embedded_text == "Guide\nInstall\nLinux\nLinux\n\nUse apt."


def test_the_url_of_a_passage_has_the_fragment_of_the_innermost_heading_that_has_one() -> None:
    passages = made(TEXT, characters=20, fragments={4: "install", 12: "remove"})
    assert [one.url.partition("#")[2] for one in passages] == ["", "install", "install", "remove"]


def test_ids_depend_on_the_page_its_content_and_the_position_only() -> None:
    def ids(source: SourceText) -> list[str]:
        return [one.id for one in passages_of(source, source.text, characters=20, overlap=0)]

    assert len({*ids(page())}) == 4
    assert ids(page(crawl="c9")) == ids(page())
    others = (
        page(key="l"),
        page(url="https://e.example/l"),
        page(title="Other"),
        page(TEXT + "."),
        page(headings="[1]"),
    )
    assert not {*ids(page())} & {one for other in others for one in ids(other)}


@pytest.mark.parametrize("markdown", ["", "\n\n \n", "```\n\n```", "[](https://e.example/)"])
def test_a_text_without_words_has_no_passages(markdown: str) -> None:
    assert made(markdown) == []


def test_titles_and_headings_are_cut_as_each_passage_repeats_them() -> None:
    source = page(title="t" * 5_000)
    *_, passage = passages_of(source, "# " + "a" * 5_000 + "\n\nText.", characters=1_000, overlap=0)
    assert passage.text.endswith("Text.")
    assert (len(passage.title), [len(name) for name in passage.headings]) == (HEADING_CHARACTERS, [HEADING_CHARACTERS])


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (UrlState.FETCHED, Fate.TEXT),
        (UrlState.UNCHANGED, Fate.TEXT),
        (UrlState.NOT_FOUND, Fate.KEPT),  # the page memory knows which pages are deleted
        (UrlState.REDIRECTED, Fate.KEPT),
        (UrlState.FORBIDDEN, Fate.KEPT),
        (UrlState.ROBOTS_DENIED, Fate.KEPT),
        (UrlState.HTTP_ERROR, Fate.KEPT),
        (UrlState.FAILED, Fate.KEPT),
        (UrlState.SKIPPED, Fate.KEPT),
        (UrlState.PENDING, Fate.KEPT),
    ],
)
def test_the_fate_of_passages_follows_the_state_of_the_page(state: UrlState, expected: Fate) -> None:
    assert fate_of(state, has_text=True, is_duplicate=False, is_hidden=False) is expected
    assert fate_of(state, has_text=True, is_duplicate=False, is_hidden=True) is Fate.GONE


def test_a_part_of_a_page_replaces_no_text() -> None:
    part = {"is_duplicate": False, "is_hidden": False, "is_part": True}
    assert fate_of(UrlState.FETCHED, has_text=True, **part) is Fate.PART
    assert fate_of(UrlState.FETCHED, has_text=False, **part) is Fate.KEPT


def test_duplicates_and_pages_without_text_have_no_passages() -> None:
    assert fate_of(UrlState.FETCHED, has_text=True, is_duplicate=True, is_hidden=False) is Fate.GONE
    assert fate_of(UrlState.FETCHED, has_text=False, is_duplicate=False, is_hidden=False) is Fate.GONE


def test_ranks_are_merged_by_their_reciprocals() -> None:
    merged = fused((1.0, ["a", "b", "c"]), (2.0, ["c", "a"]), constant=60)
    assert list(merged) == ["c", "a", "b"]
    assert merged == pytest.approx({"c": 1 / 63 + 2 / 61, "a": 1 / 61 + 2 / 62, "b": 1 / 62})


def test_items_of_the_same_score_stay_in_the_order_of_the_rankings() -> None:
    assert list(fused((1.0, ["a"]), (1.0, ["b"]))) == ["a", "b"]
    assert fused() == {}


def test_a_snippet_is_the_part_with_the_words_of_the_question() -> None:
    text = "Nothing here. " * 40 + "A stash keeps unfinished changes for later. " + "Nothing there. " * 40
    found = snippet(text, "keep unfinished changes", length=80)
    assert "keeps unfinished changes" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert len(found) <= 80


def test_a_short_text_is_its_own_snippet_and_one_without_the_words_begins_at_its_beginning() -> None:
    assert snippet("One  two\nthree", "x", length=80) == "One two three"
    assert snippet("One two three four", "zzz", length=10) == "One two…"
    assert snippet("One two three four", "four", length=10) == "…four"
    assert snippet("onetwothreefour", "zzz", length=10) == "onetwothr…"


def test_a_snippet_begins_and_ends_at_words() -> None:
    text = (
        "Nothing here. " * 9 + "Call os.path.join(folder, name) to join the names of a path. " + "Nothing there. " * 9
    )
    assert snippet(text, "join names", length=60) == "…os.path.join(folder, name) to join the names of a path.…"


def test_words_of_the_question_are_marked_in_other_forms_too() -> None:
    assert marks("Removing a pear", "remove it") == [(0, 8)]


def test_a_snippet_does_not_begin_with_a_very_long_path() -> None:
    text = "Nothing here. " * 9 + "/usr/share/documents/of/the/harbour/storms.html is read. " + "Nothing there. " * 9
    assert snippet(text, "storms", length=40).startswith("…storms.html is read.")


def test_stop_words_are_not_marked_and_choose_no_snippet() -> None:
    assert marks("What does this do without those? Stash it.", "what does the stash do with those") == [(33, 38)]
    text = "What does this do? " * 20 + "A stash keeps changes. " + "What does that do? " * 20
    assert "stash keeps" in snippet(text, "what does this stash do", length=60)


@given(st.text(), st.text(), st.integers(10, 60))
def test_snippets_are_short_and_without_control_characters(text: str, question: str, length: int) -> None:
    found = snippet(text, question, length=length)
    assert len(found) <= length
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in found)
