"""Splitting a text into passages takes work in proportion to its length, whatever it is made of."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.support.knowledge import SITE, CountingEmbedder, crawled, knowledge_ports

from wavecrawl.adapters.knowledge.chunker import MarkdownChunker
from wavecrawl.application.index_site import index_site
from wavecrawl.domain.knowledge.passage import SECTION_CHARACTERS, Chunk, SourceText, passages_of
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.knowledge import CrawlTexts, KnowledgePorts

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
}


class Measured:
    """`ports.knowledge.Chunker` that counts its work: in the worst case, the square of a text."""

    def __init__(self, split: Callable[..., list[Chunk]]) -> None:
        self._split = split
        self.steps = 0
        self.longest = 0

    def split(self, markdown: str, *, characters: int, overlap: int) -> list[Chunk]:
        self.steps += len(markdown) ** 2
        self.longest = max(self.longest, len(markdown))
        return self._split(markdown, characters=characters, overlap=overlap)


def _whole(markdown: str, *, characters: int, overlap: int) -> list[Chunk]:  # noqa: ARG001 - as the port says
    return [Chunk(start=0, markdown=markdown[:characters])]


def steps(text: str) -> int:
    chunker = Measured(_whole)

    def split(section: str) -> Sequence[Chunk]:
        return chunker.split(section, characters=1_000, overlap=120)

    page = SourceText(key="k", url="https://e.example/", title="t", text=text)
    for _ in passages_of(page, text, split, characters=1_000):
        pass
    assert chunker.longest <= SECTION_CHARACTERS
    return chunker.steps


@pytest.mark.parametrize("kind", TEXTS)
def test_twice_the_text_is_twice_the_work(kind: str) -> None:
    half, whole = (TEXTS[kind](size) for size in (500_000, 1_000_000))
    assert len(whole) > 900_000
    assert steps(whole) <= 2.1 * steps(half)


@pytest.mark.parametrize("kind", TEXTS)
def test_passages_of_any_text_fit_and_lose_nothing_but_space(kind: str) -> None:
    """Each passage has at most the characters that the settings allow."""
    text = TEXTS[kind](40_000)
    page = SourceText(key="k", url="https://e.example/", title="t", text=text)
    passages = list(
        passages_of(
            page,
            text,
            lambda section: MarkdownChunker().split(section, characters=1_000, overlap=120),
            characters=1_000,
        )
    )
    assert all(0 < len(one.text) <= 1_000 for one in passages)


def _ports(folder: Path, embedder: CountingEmbedder | None = None) -> tuple[KnowledgePorts, Measured]:
    ports, chunker = knowledge_ports(folder, embedder), Measured(MarkdownChunker().split)
    return KnowledgePorts(chunker=chunker, passages=ports.passages, vectors=ports.vectors, embedder=embedder), chunker


def test_what_max_passages_leaves_out_is_not_split(tmp_path: Path) -> None:
    ports, chunker = _ports(tmp_path)
    settings = KnowledgeSettings(max_passages=20)
    page = crawled("a", TEXTS["one endless word"](1_000_000))
    assert index_site(SITE, [page], ports, settings, texts=CrawlTexts(crawl="c1")).passages == 20
    assert chunker.steps <= 2 * 16_000**2


def test_an_overlap_is_at_most_half_of_a_passage_and_what_is_embedded_is_bounded(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    ports, _ = _ports(tmp_path, embedder)
    settings = KnowledgeSettings(passage_characters=100, overlap_characters=99, max_passages=1_000_000)
    page = crawled("a", "# " + "head " * 2_000 + "\n\n" + "word " * 2_000, title="title " * 2_000)
    counts = index_site(SITE, [page], ports, settings, texts=CrawlTexts(crawl="c1"))
    assert 200 < counts.passages < 1_000
    assert max(map(len, embedder.embedded)) <= 300 + 300 + 100 + 2
