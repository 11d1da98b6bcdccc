"""Texts of sites in the report: as people see them, and escaped."""

from pathlib import Path

import pytest

from wavecrawl.adapters.analytics.report import markup
from wavecrawl.adapters.analytics.report.markup import bars, html_text, link

HOSTILE = "<b>a\u202e\u200f\nb"


def test_a_text_is_escaped_and_reorders_nothing() -> None:
    assert html_text(HOSTILE) == "&lt;b&gt;a\ufffd b"
    assert "\u202e" not in bars({"ok\u202e": 1})


@pytest.mark.parametrize("url", ["https://example.com/\u202egpj.exe", "https://example.com/a\nb", "mailto:\u2067a"])
def test_a_link_shows_its_url_in_one_line(url: str) -> None:
    assert not set(link(url)) & set("\u202e\u2067\n")


def test_every_section_writes_texts_in_this_way() -> None:
    """`html.escape` alone would let them reorder the report."""
    modules = sorted(Path(markup.__file__).parent.glob("*.py"))
    assert len(modules) > 5
    assert [path.name for path in modules if "import escape" in path.read_text(encoding="utf-8")] == ["markup.py"]
