import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.knowledge.fate import Fate, fate_of
from wavecrawl.domain.knowledge.fusion import fused
from wavecrawl.domain.knowledge.passage import SECTION_CHARACTERS, Chunk, Passage, SourceText, passages_of
from wavecrawl.domain.knowledge.readable_markdown import HEADING_CHARACTERS, MarkdownReader
from wavecrawl.domain.knowledge.snippet import marks, snippet

TEXT = "# Guide\n\nHello.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse apt.\n\n## Remove\n\nDelete it."


def page(text: str = TEXT, **changes: str) -> SourceText:
    return SourceText(**{"key": "k", "url": "https://e.example/", "title": "Guide", "text": text, **changes})


def cut(markdown: str, *starts: int) -> list[Chunk]:
    ends = [*starts[1:], len(markdown)]
    return [Chunk(start=start, markdown=markdown[start:end]) for start, end in zip(starts, ends, strict=True)]


def made(source: SourceText, chunks: list[Chunk]) -> list[Passage]:
    return list(passages_of(source, source.text, lambda _: chunks, characters=1_000))


def test_a_passage_has_the_headings_of_its_beginning_without_the_title() -> None:
    chunks = cut(TEXT, 0, TEXT.index("## Install"), TEXT.index("### Linux"), TEXT.index("## Remove"))
    passages = made(page(), chunks)
    assert [one.headings for one in passages] == [(), ("Install",), ("Install", "Linux"), ("Remove",)]
    assert [one.text for one in passages] == [
        "Guide\n\nHello.",
        "Install\n\nRun it.",
        "Linux\n\nUse apt.",
        "Remove\n\nDelete it.",
    ]
    assert [one.position for one in passages] == [0, 1, 2, 3]
    assert passages[2].embedded_text == "Guide\nInstall\nLinux\nLinux\n\nUse apt."


def test_ids_depend_on_the_page_its_content_and_the_position_only() -> None:
    chunks = cut(TEXT, 0, 10)
    ids = [one.id for one in made(page(), chunks)]
    assert len({*ids}) == 2
    assert [one.id for one in made(page(crawl="c9"), chunks)] == ids
    others = (
        page(key="l"),
        page(url="https://e.example/l"),
        page(title="Other"),
        page(TEXT + "."),
        page(headings="[1]"),
    )
    assert not {*ids} & {one.id for other in others for one in made(other, chunks)}


def test_empty_chunks_are_no_passages() -> None:
    assert made(page("a\n\n"), [Chunk(start=0, markdown=" \n"), Chunk(start=1, markdown="")]) == []


def test_headings_go_on_in_the_next_section_and_code_does_too() -> None:
    code = "```\n" + "# no heading\n" * 2_000 + "```"
    markdown = f"# Guide\n\n## Code\n\n{code}\n\nAfter the code.\n\n### Next\n\nEnd."
    assert len(markdown) > SECTION_CHARACTERS
    seen: list[str] = []

    def whole(section: str) -> list[Chunk]:
        seen.append(section)
        return [Chunk(start=0, markdown=section)]

    passages = list(passages_of(page(markdown), markdown, whole, characters=1_000))
    assert "".join(seen) == markdown
    assert [one.headings for one in passages] == [(), ("Code",)]


def test_titles_and_headings_are_cut_as_each_passage_repeats_them() -> None:
    chunks = [Chunk(start=0, markdown="Text."), Chunk(start=5_100, markdown="Text.")]
    (_, passage) = made(page("# " + "a" * 5_000 + "\n\nText.", title="t" * 5_000), chunks)
    assert (len(passage.title), [len(name) for name in passage.headings]) == (HEADING_CHARACTERS, [HEADING_CHARACTERS])


def without_links(markdown: str) -> str:
    return MarkdownReader().read(markdown).markdown


def test_links_become_their_texts_and_code_stays() -> None:
    markdown = (
        "See [the \\[old\\] guide](https://e.example/a_(b)) and ![logo](x.png) `a[0](b)`.\n\n```\n[a](b)\n```\n\n[x](y)"
    )
    assert without_links("[one](https://e.example/), [two](#a)") == "one, two"
    assert without_links(markdown).endswith("`a[0](b)`.\n\n```\n[a](b)\n```\n\nx")
    assert "\\[old\\] guide" in without_links(markdown)
    assert without_links("- ```\n  [a](b)\n  ```\n- [c](d)") == "- ```\n  [a](b)\n  ```\n- c"


def test_headings_in_code_are_none() -> None:
    found = MarkdownReader().read("# A *b*\n\n```\n# no\n```\n\n## C").headings
    assert [(one.start, one.level, one.text) for one in found] == [(0, 1, "A b"), (23, 2, "C")]


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
    assert snippet("One two three four", "zzz", length=10) == "One two t…"
    assert snippet("One two three four", "four", length=10) == "…hree four"


def test_words_of_the_question_are_marked_in_other_forms_too() -> None:
    assert marks("Removing a pear", "remove it") == [(0, 8)]


@given(st.text(), st.text(), st.integers(10, 60))
def test_snippets_are_short_and_without_control_characters(text: str, question: str, length: int) -> None:
    found = snippet(text, question, length=length)
    assert len(found) <= length
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in found)
