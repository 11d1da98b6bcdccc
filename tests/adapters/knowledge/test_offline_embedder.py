import logging
import math
from pathlib import Path

import pytest
from pytest_socket import disable_socket
from tests.support.knowledge import SITE, crawled, knowledge_ports

from wavecrawl.adapters.knowledge import missing
from wavecrawl.adapters.knowledge.missing import needed
from wavecrawl.adapters.knowledge.word_llama import WordLlamaEmbedder
from wavecrawl.application.index_site import index_site
from wavecrawl.application.search_site import search_site
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.errors import KnowledgeMissingError
from wavecrawl.ports.knowledge import CrawlTexts, KnowledgePorts


def test_the_model_is_in_the_package_and_understands_other_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disable_socket()  # nothing may be downloaded
    monkeypatch.setenv("HOME", str(tmp_path))  # no cache either
    logging_before = (logging.getLogger().level, list(logging.getLogger().handlers))
    local = knowledge_ports(tmp_path)
    ports = KnowledgePorts(passages=local.passages, vectors=local.vectors, embedder=WordLlamaEmbedder())
    pages = [
        crawled("pets", "The puppy plays with a kitten in the garden."),
        crawled("money", "Banks lend money to companies at an interest rate."),
        crawled("weather", "Tomorrow it will rain, with strong winds at the coast."),
    ]
    index_site(SITE, pages, ports, KnowledgeSettings(), texts=CrawlTexts(crawl="c1"))
    for question, expected in (("young dogs and cats", "pets"), ("a loan for my firm", "money"), ("storm", "weather")):
        assert search_site(SITE, question, ports, mode=SearchMode.VECTORS)[0].passage.key == expected
    assert (logging.getLogger().level, list(logging.getLogger().handlers)) == logging_before


def test_vectors_have_length_one_and_empty_texts_have_none() -> None:
    embedder = WordLlamaEmbedder()
    empty, text = embedder.embed_passages(["", "hello"])
    assert len(empty) == len(text) == embedder.dimensions == 256
    assert not any(empty)
    assert math.hypot(*text) == pytest.approx(1.0, abs=1e-5)
    assert list(embedder.embed_question("hello")) == pytest.approx(list(text))
    assert embedder.embed_passages([]) == []


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(KnowledgeMissingError, match=r"wordllama is not installed.*pip install '\.\[knowledge\]'"),
        needed("wordllama"),
    ):
        raise ImportError
    assert missing.is_installed(offline=True)
    monkeypatch.setattr(missing, "find_spec", lambda name: None if name == "wordllama" else name)
    assert not missing.is_installed(offline=True)
    assert missing.is_installed(offline=False)
