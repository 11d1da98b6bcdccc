"""graph.bin.gz, read by its documented format, compared with graph.json and pages.csv of the same crawl."""

import gzip
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.conftest import Crawled
from tests.support.campaign import slow
from tests.support.crawling import ALL_FILES, Done, crawl_inline, table
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.settings import GraphSettings

FORMATS = {"uint8": "B", "uint16": "H", "uint32": "I"}
NONE = 2**32 - 1


def read(file: Path) -> dict[str, Any]:
    """Read the file as docs/graph-file.md describes it."""
    content = gzip.decompress(file.read_bytes())
    assert content[:8] == b"WCGRAPH1"
    (length,) = struct.unpack_from("<I", content, 8)
    at = 12 + length
    found: dict[str, Any] = json.loads(content[12:at])
    for one in found.pop("arrays"):
        data = content[at : at + one["bytes"]]
        at += one["bytes"]
        if one["type"] == "utf-8":
            found[one["name"]] = data.decode().split("\n")
        else:
            code = FORMATS[one["type"]]
            found[one["name"]] = list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
    assert at == len(content)
    return found


def links_of(graph: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the links as pairs of URLs."""
    targets = iter(graph["targets"])
    for source, count in enumerate(graph["linked"]):
        for _ in range(count):
            yield graph["urls"][source], graph["urls"][next(targets)]


@pytest.fixture(scope="module", name="limited_twice")
def two_crawls_with_limits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done]:
    settings = replace(ALL_FILES, graph=GraphSettings(max_nodes=10, max_links=12))
    with SiteServer(plain_site(pages=30, body_bytes=200)) as server:
        folders = (tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second"))
        first, second = (crawl_inline(server.url, folder, settings) for folder in folders)
    return first, second


def test_the_graph_file_has_the_pages_and_links_of_the_other_exports(crawled: Crawled) -> None:
    exports = crawled.done.exports
    graph, expected = read(exports / "graph.bin.gz"), json.loads((exports / "graph.json").read_text())
    nodes = expected["nodes"]
    assert graph["urls"] == [node["url"] for node in nodes]
    assert graph["titles"] == [" ".join(node["title"].split())[:120] for node in nodes]
    assert graph["status"] == [node["status"] or 0 for node in nodes]
    assert graph["depth"] == [node["depth"] for node in nodes]
    assert graph["in_links"] == [node["in_links"] or 0 for node in nodes]
    assert graph["out_links"] == [node["out_links"] or 0 for node in nodes]
    assert [graph["states"][code] for code in graph["state"]] == [node["state"] for node in nodes]
    assert [graph["orphans"][code] for code in graph["orphan"]] == [node["orphan"] for node in nodes]
    numbers = {url: number for number, url in enumerate(graph["urls"])}
    pages = {row["url"]: row for row in table(exports / "pages.csv")}
    assert [graph["lanes"][code] for code in graph["lane"]] == [pages[url]["lane"] for url in graph["urls"]]
    assert graph["parent"] == [numbers.get(pages[url]["parent"], NONE) for url in graph["urls"]]
    urls = [node["url"] for node in nodes]
    assert sorted(links_of(graph)) == sorted((urls[source], urls[target]) for source, target in expected["links"])
    redirects = {(source, target) for source, target in enumerate(graph["redirect"]) if target != NONE}
    assert redirects == {(source, target) for source, target in expected["redirects"]}
    assert redirects
    counts = (graph["nodes"], graph["links"], graph["all_nodes"], graph["all_links"])
    assert counts == (len(nodes), len(expected["links"]), len(nodes), len(expected["links"]))


@slow
def test_a_graph_over_the_limits_keeps_the_strongest_pages_and_says_so(limited_twice: tuple[Done, Done]) -> None:
    limited, _ = limited_twice
    graph, expected = read(limited.exports / "graph.bin.gz"), json.loads((limited.exports / "graph.json").read_text())
    assert (graph["nodes"], graph["links"]) == (10, 12)
    assert (graph["all_nodes"], graph["all_links"]) == (len(expected["nodes"]), len(expected["links"]))
    root, *others = expected["nodes"]
    strongest = sorted(others, key=lambda node: -node["pagerank"])[:9]
    assert graph["urls"][0] == root["url"]
    weakest = min(node["pagerank"] for node in strongest)
    ranks = {node["url"]: node["pagerank"] for node in expected["nodes"]}
    assert len(set(graph["urls"])) == 10
    assert all(ranks[url] >= weakest for url in graph["urls"][1:])
    shown = set(links_of(graph))
    parents = zip(graph["urls"], graph["parent"], strict=True)
    tree = {(graph["urls"][parent], url) for url, parent in parents if parent != NONE}
    assert tree
    assert tree <= shown


def test_the_same_site_gives_the_same_graph_file(limited_twice: tuple[Done, Done]) -> None:
    first, second = ((done.exports / "graph.bin.gz").read_bytes() for done in limited_twice)
    assert first == second
