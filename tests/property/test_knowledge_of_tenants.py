"""No search of a tenant finds a passage of another one, whatever happened before."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.campaign import examples
from tests.support.knowledge import CountingEmbedder, crawled, knowledge_ports
from tests.support.vector_stores import STORES

from wavecrawl.application.index_site import index_site, remove_pages
from wavecrawl.application.search_site import search_site
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.knowledge import CrawlTexts, KnowledgePorts

SITES = [SiteId(tenant=tenant, site=site) for tenant in ("a", "b") for site in ("x.example", "y.example")]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(SITES),
        st.sampled_from(["index", "some", "remove", "other embedder"]),
        st.dictionaries(st.sampled_from("klm"), st.sampled_from(["apple", "pear", ""]), min_size=1),
    ),
    max_size=8,
)


def own_words(site: SiteId, word: str) -> str:
    return f"{word} of {site.tenant} at {site.site}"


def found_by(site: SiteId, mode: SearchMode, ports: KnowledgePorts) -> dict[str, str] | None:
    """Return the texts that a search finds by the keys of their pages; None if the site has no index to search."""
    try:
        results = search_site(site, "apple pear", ports, mode=mode, limit=100)
    except NotFoundError:  # never indexed, or by an embedder that is not this one
        return None
    return {one.passage.key: one.passage.text for one in results}


@pytest.mark.parametrize("store", STORES)
@settings(max_examples=examples(8))
@given(steps=STEPS)
def test_searches_find_the_present_pages_of_their_own_site_only(
    store: str, steps: list[tuple[SiteId, str, dict[str, str]]]
) -> None:
    with TemporaryDirectory() as folder, STORES[store](Path(folder)) as vectors:
        local = knowledge_ports(Path(folder), CountingEmbedder(dimensions=16))
        ports = KnowledgePorts(passages=local.passages, vectors=vectors, embedder=local.embedder)
        expected: dict[SiteId, dict[str, str]] = {site: {} for site in SITES}
        for site, action, pages in steps:
            texts = {key: own_words(site, word) for key, word in pages.items() if word}
            if action == "remove":
                remove_pages(site, list(pages), ports)
                expected[site] = {key: text for key, text in expected[site].items() if key not in pages}
                continue
            if action == "other embedder":
                other = CountingEmbedder(f"{len(expected[site])}", dimensions=16)
                ports = KnowledgePorts(passages=local.passages, vectors=vectors, embedder=other)
            is_whole = action != "some"
            gone = {*expected[site]} - {*pages} if is_whole else set()
            found = [crawled(key, texts.get(key, ""), fate=Fate.TEXT if key in texts else Fate.GONE) for key in pages]
            before = ports.passages.state(site)
            index_site(site, found, ports, KnowledgeSettings(), texts=CrawlTexts(crawl="c"), deleted=gone)
            after = ports.passages.state(site)
            rebuilt = before is not None and after is not None and before.space != after.space
            kept = {} if is_whole or rebuilt else {k: v for k, v in expected[site].items() if k not in pages}
            expected[site] = kept | texts
        seen = {(site, mode): found_by(site, mode, ports) for site in SITES for mode in SearchMode}
        assert seen == {(site, mode): None if seen[site, mode] is None else expected[site] for site, mode in seen}
