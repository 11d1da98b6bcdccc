"""How much the rankings of a search count."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.knowledge import SITE, CountingEmbedder, crawled, knowledge_ports

from wavecrawl.adapters.knowledge.word_llama import WordLlamaEmbedder
from wavecrawl.application.index_site import index_site
from wavecrawl.application.search_site import search_site
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.knowledge import CrawlTexts


class OneDirection(CountingEmbedder):
    """All texts have the same vector."""

    def _vector(self, text: str) -> Sequence[float]:
        return [float(bool(text)), *[0.0] * (self.dimensions - 1)]


@pytest.mark.parametrize(
    ("embedder", "question", "weight"),
    [
        (WordLlamaEmbedder.name, "how to manage packages", 2.0),
        (WordLlamaEmbedder.name, "パッケージ管理", 0.5),  # it is made for English
        ("a multilingual model", "パッケージ管理", 2.0),
    ],
)
def test_the_meaning_counts_less_in_languages_that_the_embedder_does_not_know(
    tmp_path: Path, embedder: str, question: str, weight: float
) -> None:
    ports = knowledge_ports(tmp_path, OneDirection(embedder))
    index_site(SITE, [crawled("a", "Other words.")], ports, KnowledgeSettings(), texts=CrawlTexts(crawl="c1"))
    (found,) = search_site(SITE, question, ports)
    assert found.score == pytest.approx(weight / 11)  # no word is found, and the page is the first by its meaning
