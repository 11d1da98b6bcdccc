"""The result files that are created when they are first needed."""

import pytest

from wavecrawl.domain.crawl.result_files import FILES, ResultFile, file_with, made_files, missing_files


def test_each_has_files_of_its_own() -> None:
    assert set(FILES) == set(ResultFile)
    names = [name for file in ResultFile for name in FILES[file]]
    assert len(names) == len(set(names)) == 9


@pytest.mark.parametrize(
    ("name", "file"),
    [("graph.json", ResultFile.GRAPH), ("graph.bin.gz", ResultFile.GRAPH), ("pages.csv", None), ("", None)],
)
def test_a_file_is_made_with_the_others_of_its_kind(name: str, file: ResultFile | None) -> None:
    assert file_with(name) == file


def test_what_lacks_one_of_its_files_is_missing_and_is_renewed_with_the_results() -> None:
    existing = {"pages.csv", "summary.json", "graph.json", "llms.txt", "urls.parquet", "compact_edges.parquet"}
    assert missing_files(existing) == {
        ResultFile.GRAPH,
        ResultFile.DUPLICATES,
        ResultFile.SITEMAP_ENTRIES,
        ResultFile.SUPPRESSED,
        ResultFile.WACZ,
    }
    assert made_files(existing) == {ResultFile.GRAPH, ResultFile.LLMS, ResultFile.COMPACT_EDGES}
    assert made_files(()) == frozenset()


def test_nothing_can_be_made_of_a_crawl_without_results() -> None:
    assert missing_files({"graph.json"}) == missing_files(()) == frozenset()
