"""Where texts are cut into passages, and what each passage has."""

import re
from itertools import pairwise
from urllib.parse import unquote

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.support.campaign import ALL, CAMPAIGN
from tests.support.docs_sites import MANUALS, DocsSite

from wavecrawl.domain.knowledge.passage import Passage, SourceText, passages_of
from wavecrawl.domain.pages.extraction import read_markdown
from wavecrawl.domain.pages.plain_text import plain_text

CHARACTERS = 1_000
SENTENCE = "The gate is closed before each storm."


def cut(markdown: str, *, characters: int = 200, overlap: int = 0) -> list[Passage]:
    page = SourceText(key="k", url="https://e.example/", title="", text=plain_text(markdown))
    return list(passages_of(page, markdown, characters=characters, overlap=overlap))


def plain(text: str) -> list[Passage]:
    page = SourceText(key="k", url="https://e.example/", title="", text=text)
    return list(passages_of(page, None, characters=200, overlap=0))


def test_code_keeps_its_characters_and_indentation_and_each_part_is_a_code_block() -> None:
    body = [f"    value_{number} = x*x + y*{number}" for number in range(20)]
    code = ["def area(x, y):", *body, "", "    return x*x"]
    passages = cut("\n".join(["# Area", "", "```python", *code, "```", "", "The end."]))
    assert len(passages) > 2
    assert "\n    return x*x" in passages[-1].text
    for passage in passages:
        assert len(passage.text) <= 200
        fences = [line for line in passage.markdown.split("\n") if line.startswith("```")]
        assert fences == ["```python", "```"]
    shown = [line for passage in passages for line in passage.text.split("\n")]
    assert [line for line in shown if line in code and line] == [line for line in code if line]


def test_a_passage_that_begins_with_code_keeps_the_indentation_of_its_first_line() -> None:
    code = "\n".join(f"    line_{number:02}(a, b)" for number in range(30))
    passages = cut(f"```\n{code}\n```")
    assert len(passages) > 2
    assert all(passage.text.startswith("    line_") for passage in passages)


def test_code_in_an_item_stays_in_it() -> None:
    code = "\n".join(f"  step_{number:02}()" for number in range(30))
    passages = cut(f"- Run:\n\n  ```sh\n{code}\n  ```\n- Next", overlap=60)
    assert len(passages) > 1
    assert all(passage.markdown.startswith("- Run:\n\n  ```sh\n  step_") for passage in passages)
    assert passages[0].markdown.endswith(")\n  ```")
    assert passages[-1].markdown.endswith("\n  ```\n- Next")


def test_cuts_fall_on_headings_first() -> None:
    sections = [f"## Part {number}\n\n{SENTENCE} {SENTENCE}\n\n{SENTENCE}" for number in range(4)]
    passages = cut("\n\n".join(sections))
    assert [one.markdown.split("\n")[0] for one in passages] == [f"## Part {number}" for number in range(4)]


def test_a_heading_and_a_term_stay_with_their_text() -> None:
    long = " ".join([SENTENCE] * 4)
    passages = cut("\n\n".join([long, "## Storms", "### At night", SENTENCE, f"- wait(storm, until)\n\n  {long}"]))
    assert [one.text for one in passages] == [
        long,
        f"Storms\n\nAt night\n\n{SENTENCE}",
        f"wait(storm, until)\n\n{long}",
    ]


def test_a_heading_at_the_end_of_a_text_is_no_passage() -> None:
    passages = cut("\n\n".join([*[SENTENCE] * 5, "## See also"]))
    assert len(passages) == 2
    assert passages[-1].text.endswith(f"{SENTENCE}\n\nSee also")


def test_a_text_of_headings_alone_can_be_found() -> None:
    assert [one.text for one in cut("# Port\n\n## Fees")] == ["Port\n\nFees"]


def test_a_passage_repeats_the_head_of_the_table_above_it() -> None:
    rows = "\n".join(f"| option {number:02} | text of this option |" for number in range(20))
    table = f"| name | meaning |\n| --- | --- |\n{rows}"
    passages = cut(table, overlap=60)
    assert len(passages) > 3
    assert all(one.markdown.startswith("| name | meaning |\n| --- | --- |\n| option") for one in passages)
    assert all(one.text.startswith("name\tmeaning\noption") for one in passages)
    assert sum(one.text.count("meaning") for one in cut(table)) == 1


def test_a_passage_repeats_the_last_lines_of_the_one_before_but_not_before_a_heading() -> None:
    lines = "\n\n".join(f"Sentence {number:02} is here." for number in range(30))
    first, second, *_, last = cut(f"{lines}\n\n## End\n\nBye for now, and until the next time.", overlap=60)
    repeated = "\n\n".join(first.text.split("\n\n")[-2:])
    assert second.text.startswith(f"{repeated}\n\nSentence")
    assert last.text == "End\n\nBye for now, and until the next time."


def test_a_long_line_is_cut_after_sentences_and_its_code_and_links_stay_whole() -> None:
    sentence = "Call `close(a, *b)` or see [the *whole* page](https://e.example/x) before the storm. "
    passages = cut(sentence * 9)
    assert len(passages) > 2
    assert all(one.markdown.startswith("Call `close(a, *b)` or") for one in passages)
    assert all(one.text.endswith("before the storm.") for one in passages)
    assert " ".join(one.text for one in passages) == plain_text(sentence * 9).strip()


def test_a_piece_of_a_line_is_no_heading_or_item() -> None:
    passages = cut("Add the number and then the sign. # - 1. > " * 20)
    assert all(one.headings == () for one in passages)
    assert [plain_text(one.markdown) for one in passages] == [one.text for one in passages]
    assert cut("word " * 40 + "# word")[1].markdown == "\\# word"


def test_a_heading_is_followed_by_a_part_of_its_text_if_that_is_too_long() -> None:
    long = " ".join([SENTENCE] * 5)
    first, second = cut(f"## Storms\n\n{long}", characters=195)
    assert first.text == f"Storms\n\n{' '.join([SENTENCE] * 4)}"
    assert second.text == SENTENCE


def test_emphasis_and_code_that_are_cut_end_and_begin_again() -> None:
    words = "word " * 100
    assert all(re.fullmatch(r"\*\*[^*]+\*\*", one.markdown) for one in cut(f"**{words.strip()}**"))
    pieces = cut(f"`` {'a`b' * 200} ``")
    assert "".join(one.text for one in pieces) == "a`b" * 200
    assert all(one.markdown.startswith("`` ") for one in pieces)
    assert "".join(one.text for one in cut(f"[{'x' * 500}](https://e.example/)")) == "x" * 500


def test_a_long_row_is_cut_between_cells() -> None:
    row = " | ".join(f"cell {number:03}" for number in range(100))
    passages = cut(f"| {row} |")
    assert all(re.fullmatch(r"\| cell \d{3}.*cell \d{3} \|", one.markdown) for one in passages)
    assert "\t".join(one.text for one in passages).split("\t") == row.split(" | ")


def test_a_long_cell_is_cut_and_its_lines_are_kept_apart() -> None:
    passages = cut(f"| {'one<br>two ' * 100}| end |")
    assert len(passages) > 2
    assert all(re.fullmatch(r"((one|two) ?)+(\tend)?", one.text) for one in passages)


def test_a_line_of_any_length_loses_nothing() -> None:
    for line in ("x" * 40_000, "漢。" * 20_000, "\\*" * 20_000, "storm " * 8_000):
        passages = cut(line, characters=1_000)
        assert "".join(one.text for one in passages).replace(" ", "") == plain_text(line).replace(" ", "")
        assert max(len(one.text) for one in passages) <= 1_000


def test_markup_that_no_page_has_is_not_repeated() -> None:
    code = "\n".join(["step()"] * 60)
    passages = cut(f"```{'x' * 300}\n{code}\n```")
    assert "\n".join(one.text for one in passages) == code
    assert max(len(one.markdown) for one in passages) <= 210
    assert [one.text for one in cut("> " * 2_000 + "End.")] == ["End."]


def test_headings_alone_fill_passages() -> None:
    passages = cut("\n\n".join(f"## Part {number:02}" for number in range(40)))
    assert [name for one in passages for name in one.text.split("\n\n")] == [
        f"Part {number:02}" for number in range(40)
    ]


def test_the_target_of_a_link_can_be_left_out_but_its_text_cannot() -> None:
    (passage,) = cut(f"See [this *page*](https://e.example/{'y' * 2_000}) now.")
    assert passage.text == "See this page now."
    assert len(passage.markdown) < 100


def test_plain_text_is_not_read_as_markdown() -> None:
    text = "return x*x\n    y = a[0](b)\n# no heading\n\n\n- `no` code_here\n" + "f(a*b) " * 60
    passages = plain(text)
    assert "\n\n".join(one.text for one in passages).startswith(
        text.partition("f(")[0].replace("\n\n\n", "\n\n").strip()
    )
    assert passages[0].markdown.startswith("return x\\*x\n    y = a\\[0\\](b)\n\\# no heading")
    assert all(one.headings == () for one in passages)
    assert sum(one.text.count("f(a*b)") for one in passages) == 60


@pytest.mark.parametrize("site", MANUALS, ids=lambda site: site.package)
def test_passages_of_a_documentation_site_have_only_lines_of_their_pages(site: DocsSite) -> None:
    if not site.there:
        pytest.skip(f"{site.package} is not installed")
    pages = sorted(site.folder.rglob("*.html"))
    assert len(pages) > 100
    count, problems = 0, []
    for path in pages if CAMPAIGN else pages[:: 12 if ALL else 24]:
        markdown = read_markdown(path.read_bytes(), url="https://e.example/x.html", encoding="utf-8").markdown
        for passage in cut(markdown, characters=CHARACTERS, overlap=120):
            count += 1
            problems += [(path.name, what) for what in _problems(passage, markdown)]
    assert count > 100
    assert problems == []


def _problems(passage: Passage, markdown: str) -> list[str]:
    """Return what is wrong with a passage of a page."""
    lines = {*plain_text(markdown).split("\n")}
    long = [line for line in lines if len(line) > CHARACTERS // 2]  # it may be too long for a passage with its heading
    lacking = [
        line for line in passage.text.split("\n") if line not in lines and not any(line in whole for whole in long)
    ]
    found = [f"the page lacks the line {line!r}" for line in lacking]
    if plain_text(passage.markdown).strip("\n") != passage.text:
        found.append(f"the text is not that of the Markdown {passage.markdown!r}")
    shown = [line for line in passage.markdown.split("\n") if line.strip()]
    if all(line.startswith("#") for line in shown) or re.fullmatch(r"\s*(- )?[\w.]+\([^()]*\)", "\n".join(shown)):
        found.append(f"it is a heading or a signature alone: {passage.markdown!r}")
    if len(passage.text) > CHARACTERS:
        found.append(f"it has {len(passage.text)} characters")
    return found


@pytest.mark.parametrize("site", MANUALS, ids=lambda site: site.package)
def test_the_url_of_a_passage_leads_to_the_heading_above_it(site: DocsSite) -> None:
    if not site.there:
        pytest.skip(f"{site.package} is not installed")
    with_fragment = 0
    for path in sorted(site.folder.rglob("*.html"))[::40]:
        html = path.read_bytes()
        page = read_markdown(html, url="https://e.example/x.html", encoding="utf-8")
        tree = LexborHTMLParser(html)
        ids = {node.attributes.get("id") for node in tree.css("[id]")}
        names = {node.attributes.get("name") for node in tree.css("a[name]")}
        source = SourceText(key="k", url="https://e.example/x.html", title="", text="")
        for passage in passages_of(
            source, page.markdown, characters=CHARACTERS, overlap=120, fragments=dict(page.fragments)
        ):
            fragment = unquote(passage.url.partition("#")[2])
            assert not fragment or fragment in ids | names, path
            with_fragment += bool(fragment)
            if passage.headings and passage.markdown.startswith("#") and fragment:
                (target,) = [node for node in tree.css("[id], a[name]") if fragment in node.attributes.values()][:1]
                around = [target, target.parent, target.parent.parent if target.parent else None]
                texts = ["".join(filter(str.isalnum, node.text())) for node in around if node]
                assert any("".join(filter(str.isalnum, passage.headings[-1])) in text for text in texts), path
    assert with_fragment > 50


LONG_TAIL = "Here is some prose that explains it well. " * 14 + "and more " * 40 + "A" * 660 + " tail of it."
NEXT = "Next paragraph " + "text " * 120


@pytest.mark.parametrize(
    "line",
    [
        LONG_TAIL,
        "word " * 150 + f"`{'code ' * 143}` and the end",
        "word " * 150 + f"[{'link ' * 130}](https://e.example/x) and the end",
        "word " * 150 + f"**{'bold ' * 300}** and the end",
    ],
    ids=["a long word", "code", "a link", "emphasis"],
)
def test_no_passage_of_a_long_line_has_more_than_the_characters_that_fit(line: str) -> None:
    passages = cut(f"{line}\n\n{NEXT}", characters=CHARACTERS)
    assert all(len(passage.text) <= CHARACTERS for passage in passages)
    assert "".join("".join(one.text for one in passages).split()) == "".join(plain_text(f"{line}{NEXT}").split())


def test_no_passage_of_a_long_line_of_a_document_has_more_than_the_characters_that_fit() -> None:
    page = SourceText(key="k", url="https://e.example/", title="", text=f"{LONG_TAIL}\n\n{NEXT}")
    passages = list(passages_of(page, None, characters=CHARACTERS, overlap=0))
    assert all(len(passage.text) <= CHARACTERS for passage in passages)


def test_a_cell_that_is_longer_than_a_passage_has_no_markup_in_its_text() -> None:
    cell = "- first<br>- " + "word \\| " * 60 + "&vert; end"
    passages = cut(f"| A | B |\n| --- | --- |\n| {cell} | b |")
    text = " ".join(passage.text for passage in passages)
    assert "- first" not in text
    assert "\\" not in text
    assert "&vert;" not in text
    assert all(passage.markdown.count("| word") or "word |" not in passage.markdown for passage in passages)
    assert text.count("word |") == 60


def test_emphasis_ends_before_the_end_of_a_line_that_breaks() -> None:
    passages = cut("*" + "word " * 60 + "word*\\\nand the rest")
    assert all("\\*" not in passage.markdown for passage in passages)


def test_a_fence_with_a_very_long_language_begins_code() -> None:
    code = "\n".join(f"# no heading {number}" for number in range(30))
    passages = cut(f"# Top\n\n```{'a' * 5_000}\n{code}\n```\n\n## Real\n\n{SENTENCE}")
    assert {one.headings for one in passages} == {("Top",)}
    assert len(passages) > 2
    assert all(one.markdown.count("```") == 2 for one in passages)


def test_a_long_heading_in_an_item_has_no_sign_in_its_text() -> None:
    passages = cut(f"- ## {'word ' * 100}\n\nend")
    assert all("#" not in passage.text for passage in passages)


def test_each_passage_has_text_that_no_earlier_one_has() -> None:
    head = " | ".join(f"column {number}" for number in range(12))
    rows = [f"| {' | '.join(str(row * number) for number in range(12))} |" for row in range(30)]
    table = "\n".join([f"| {head} |", f"|{' --- |' * 12}", *rows])
    passages = cut(table, characters=160, overlap=80)
    texts = [passage.text for passage in passages]
    assert len(set(texts)) == len(texts)
    for earlier, later in pairwise(texts):
        assert set(later.split("\n")) - set(earlier.split("\n"))


def test_a_fence_that_is_too_long_to_be_repeated_is_left_out() -> None:
    fence = "`" * 300
    code = "\n".join(f"line {number}" for number in range(60))
    passages = cut(f"{fence}\n{code}\n{fence}\n\n{SENTENCE}")
    assert "`" not in "".join(one.markdown for one in passages)
    assert "".join("".join(one.text.split()) for one in passages) == "".join(f"{code}{SENTENCE}".split())
