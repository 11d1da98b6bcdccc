import pytest
from msgspec import structs

from wavecrawl.domain.pages.extraction.main_text import MOST_CHARACTERS
from wavecrawl.domain.pages.extraction.reading import Reading, read_page
from wavecrawl.domain.pages.text_choice import TextChoice

PLAIN = Reading(url="https://site.example/notes.txt", plain_type="text/plain")
MARKDOWN = structs.replace(PLAIN, plain_type="text/markdown")


@pytest.mark.parametrize(
    ("content", "text", "words"),
    [
        (b"\n\nValves <b>\r\n  at 3 bar\r", "Valves <b>\n  at 3 bar", 5),
        ("größer\0 als", "größer als", 2),
        ("half \ud800 character", "half ? character", 3),
        (b"\xff", "\ufffd", 1),
        (" \n", "", 0),
    ],
)
def test_a_plain_text_is_kept_as_it_was_sent(content: bytes | str, text: str, words: int) -> None:
    facts = read_page(content, PLAIN).facts
    assert (facts.text, facts.word_count) == (text, words)
    assert len(facts.text_hash) == 64


def test_a_long_text_is_cut() -> None:
    facts = read_page("x" * (MOST_CHARACTERS + 1), PLAIN).facts
    assert (len(facts.text), facts.cut_facts) == (MOST_CHARACTERS, ("text",))


def test_a_crawl_without_texts_has_the_hash_of_the_page() -> None:
    how = structs.replace(PLAIN, text=TextChoice.NONE)
    one, other = (read_page(content, how).facts for content in ("one", b"other"))
    assert one.text == other.text == ""
    assert one.text_hash != other.text_hash
    assert read_page("one", structs.replace(how, only_markdown=True)).markdown == ""


@pytest.mark.parametrize(
    ("how", "content", "markdown"),
    [
        (PLAIN, "* 1\n    * 2 <b>", "```\n* 1\n    * 2 <b>\n```"),
        (PLAIN, "````\ncode\n````", "`````\n````\ncode\n````\n`````"),
        (PLAIN, " ", ""),
        (MARKDOWN, "# Valves\r\n\r\n- one", "# Valves\n\n- one"),
    ],
)
def test_its_markdown_has_its_lines(how: Reading, content: str, markdown: str) -> None:
    found = read_page(content, structs.replace(how, only_markdown=True))
    assert (found.markdown, found.links, found.base_url) == (markdown, (), "https://site.example/notes.txt")


def test_a_small_plain_text_is_read_in_the_process_itself() -> None:
    assert PLAIN.is_bounded("text")
    assert not PLAIN.is_bounded("x" * 2_000_000)
