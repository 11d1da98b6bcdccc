"""Texts of sites as people see them."""

import json
import sys
import unicodedata
from xml.etree import ElementTree as ET

import pytest

from wavecrawl.domain.pages.control_characters import escaped_json, shown_line, shown_text, without_controls
from wavecrawl.domain.pages.spreadsheet_cells import cell

DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
BIDI = [
    *(chr(code) for code in range(sys.maxunicode + 1) if unicodedata.bidirectional(chr(code)) in DIRECTIONS),
    *"\u061c\u200e\u200f",
]
"""The characters with the property Bidi_Control: https://www.unicode.org/Public/UCD/latest/ucd/PropList.txt"""


def test_no_character_that_controls_the_direction_is_shown() -> None:
    assert len(BIDI) == 12
    for one in BIDI:
        assert one not in shown_text(f"a{one}b")
        assert one not in shown_line(f"https://example.com/{one}gpj.exe")


def test_what_hides_or_reorders_leaves_a_sign_and_a_mark_leaves_nothing() -> None:
    assert shown_text("a\u202eb\x1b[2J\x85") == "a\ufffdb\ufffd[2J\ufffd"
    assert shown_text("\u200f漢字\u200e \u061cx") == "漢字 x"


def test_no_text_has_characters_that_xml_cannot_contain() -> None:
    outside = [chr(code) for code in (*range(0x20), 0xFFFE, 0xFFFF) if chr(code) not in "\t\n\r"]
    for text in (shown_text, without_controls, cell):
        ET.fromstring(f"<a>{text(''.join(outside))}</a>")  # noqa: S314 - our own text


@pytest.mark.parametrize("text", ["", "plain\n\ttext", "naïve 漢字 a\u200cb 👩\u200d💻 漢字"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert shown_text(text) == text


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\u2029"])
def test_a_line_is_one_line(end: str) -> None:
    assert shown_line(f"https://example.com/a{end}error: b") == "https://example.com/a error: b"


def test_json_keeps_its_values_and_contains_none_of_these_characters() -> None:
    value = {"title": f"a{''.join(BIDI)}\u2028\u2029\x7f\x9bé漢"}
    text = escaped_json(json.dumps(value, ensure_ascii=False))
    assert not set(text) & {*BIDI, "\u2028", "\u2029", "\x7f", "\x9b"}
    assert "é漢" in text
    assert json.loads(text) == value
