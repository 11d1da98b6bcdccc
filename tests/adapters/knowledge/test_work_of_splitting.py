"""Splitting a text into passages takes work in proportion to its length, whatever it is made of."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.knowledge import SITE, CountingEmbedder, crawled, knowledge_ports

from wavecrawl.application.index_site import index_site
from wavecrawl.domain.knowledge import long_lines, splitting
from wavecrawl.domain.knowledge.markdown_lines import Line
from wavecrawl.domain.knowledge.passage import Passage, SourceText, passages_of
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.knowledge import CrawlTexts

TEXTS: dict[str, Callable[[int], str]] = {
    "one endless word": lambda size: "x" * size,
    "Chinese": lambda size: "漢" * size,
    "Chinese sentences": lambda size: "今天天气很好。" * (size // 7),
    "Thai": lambda size: "สวัสดี" * (size // 6),
    "Arabic": lambda size: "سلام" * (size // 4),
    "combining marks": lambda size: "a" + "\u0301" * size,
    "joined emoji": lambda size: "👩\u200d" * (size // 2),
    "punctuation": lambda size: "!" * size,
    "full stops": lambda size: ". " * (size // 2),
    "short paragraphs": lambda size: "a\n\n" * (size // 3),
    "headings": lambda size: "# a\n\n" * (size // 5),
    "lines": lambda size: "a\n" * (size // 2),
    "a table": lambda size: "| a | b |\n| --- | --- |\n" + "| c | d |\n" * (size // 10),
    "a row": lambda size: "| " + "c | " * (size // 4) + "\n| --- |",
    "a code block": lambda size: "```\n" + "x" * size + "\n```",
    "lines of code": lambda size: "```\n" + "x = 1\n" * (size // 6) + "```",
    "backticks": lambda size: "".join("`" * count + "a" for count in range(1, 63)) * (size // 2_000),
    "brackets": lambda size: "[" * size,
    "open links": lambda size: "[a](b " * (size // 6),
    "quotes": lambda size: "> " * (size // 2),
    "nested lists": lambda size: "- " * (size // 2),
    "emphasis": lambda size: "*a" * (size // 2),
    "backslashes": lambda size: "\\" * size,
    "NUL": lambda size: "\0" * size,
    "backticks of all lengths": lambda size: "".join("`" * count + "a" for count in range(1, int((2 * size) ** 0.5))),
    "a long code span": lambda size: "`" + "x" * size + "`",
    "a long link": lambda size: "[" + "x" * size + "](https://e.example/)",
    "a long target": lambda size: "[x](https://e.example/" + "y" * size + ")",
    "ever deeper items": lambda size: "\n".join(" " * depth + "- a" for depth in range(int((2 * size) ** 0.5))),
    "a long fence": lambda size: "```" + "x" * (size // 2) + "\n" + "a\n" * (size // 4) + "```",
    "many fences": lambda size: "```\nx\n```\n" * (size // 10),
    "blank lines of code": lambda size: "```\n" + "\n" * size + "```",
    "code in open links": lambda size: "[`a" * (size // 3),
    "open formulas": lambda size: "$$a $" * (size // 5),
}
NO_TEXT = ("brackets", "quotes", "nested lists", "blank lines of code")
"""Texts that are markup alone, or would be, if they were Markdown."""


class Work:
    """Counts the steps of splitting: lines that are compared, and characters that are read together, squared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self.longest = 0
        cost, windows = splitting._cost, long_lines._windows

        def counted_cost(line: Line, fullness: float) -> float:
            self.steps += 1
            return cost(line, fullness)

        def counted_windows(markdown: str) -> Iterator[str]:
            for window in windows(markdown):
                self.longest = max(self.longest, len(window))
                self.steps += len(window) ** 2
                yield window

        monkeypatch.setattr(splitting, "_cost", counted_cost)
        monkeypatch.setattr(long_lines, "_windows", counted_windows)


def passages(text: str, *, is_markdown: bool) -> Iterator[Passage]:
    page = SourceText(key="k", url="https://e.example/", title="t", text=text)
    return passages_of(page, text if is_markdown else None, characters=1_000, overlap=120)


@pytest.mark.parametrize("kind", TEXTS)
def test_twice_the_text_is_twice_the_work(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    for size in (200_000, 400_000):
        with monkeypatch.context() as counted:
            work = Work(counted)
            text = TEXTS[kind](size)
            assert len(text) > 0.9 * size
            for _ in passages(text, is_markdown=True):
                pass
        assert work.longest <= 16_000
        steps.append(work.steps)
    assert steps[1] <= 2.2 * steps[0] + 1_000


@pytest.mark.parametrize("is_markdown", [True, False])
@pytest.mark.parametrize("kind", TEXTS)
def test_passages_of_any_text_fit(kind: str, is_markdown: bool) -> None:  # noqa: FBT001 - a parameter
    """Each passage has at most the characters that the settings allow, and not much more markup."""
    made = list(passages(TEXTS[kind](40_000), is_markdown=is_markdown))
    assert len(made) > 3 or kind in NO_TEXT
    assert all(0 < len(one.text) <= 1_000 for one in made)
    assert all(len(one.markdown) <= 5_000 for one in made)


def test_what_max_passages_leaves_out_is_not_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(monkeypatch)
    settings = KnowledgeSettings(max_passages=20)
    page = crawled("a", TEXTS["emphasis"](1_000_000))
    counts = index_site(SITE, [page], knowledge_ports(tmp_path), settings, texts=CrawlTexts(crawl="c1"))
    assert counts.passages == 20
    assert work.steps <= 3 * 16_000**2


def test_an_overlap_is_at_most_half_of_a_passage_and_what_is_embedded_is_bounded(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    ports = knowledge_ports(tmp_path, embedder)
    settings = KnowledgeSettings(passage_characters=100, overlap_characters=99, max_passages=1_000_000)
    page = crawled(
        "a", "head " * 2_000 + "\n\n" + "word " * 2_000 + "\n\n" + "short line\n" * 200, title="title " * 2_000
    )
    counts = index_site(SITE, [page], ports, settings, texts=CrawlTexts(crawl="c1"))
    assert 200 < counts.passages < 1_000
    assert max(map(len, embedder.embedded)) <= 300 + 100 + 1
