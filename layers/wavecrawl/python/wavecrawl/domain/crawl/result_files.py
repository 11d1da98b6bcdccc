"""The result files that a crawl creates at its end only on request: they are made when they are first needed."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ResultFile(StrEnum):
    """A result file, or files, created when it is first needed, or at the end of the crawl.

    - `compact_edges`: compact_edges.parquet and urls.parquet
    - `duplicates`: duplicates.csv
    - `graph`: graph.json and graph.bin.gz
    - `llms`: llms.txt
    - `sitemap_entries`: sitemap_entries.parquet
    - `suppressed`: suppressed.csv
    - `wacz`: crawl.wacz
    """

    COMPACT_EDGES = "compact_edges"
    DUPLICATES = "duplicates"
    GRAPH = "graph"
    LLMS = "llms"
    SITEMAP_ENTRIES = "sitemap_entries"
    SUPPRESSED = "suppressed"
    WACZ = "wacz"


WACZ: Final = "crawl.wacz"
SUMMARY: Final = "summary.json"
"""The file that all results have."""

FILES: Final[Mapping[ResultFile, tuple[str, ...]]] = MappingProxyType(
    {
        ResultFile.COMPACT_EDGES: ("compact_edges.parquet", "urls.parquet"),
        ResultFile.DUPLICATES: ("duplicates.csv",),
        ResultFile.GRAPH: ("graph.json", "graph.bin.gz"),
        ResultFile.LLMS: ("llms.txt",),
        ResultFile.SITEMAP_ENTRIES: ("sitemap_entries.parquet",),
        ResultFile.SUPPRESSED: ("suppressed.csv",),
        ResultFile.WACZ: (WACZ,),
    }
)
"""The names of the files."""

_MADE_WITH: Final = {name: file for file, names in FILES.items() for name in names}


def file_with(name: str) -> ResultFile | None:
    """Return what is made to get the file with a name, None if each crawl creates it at its end."""
    return _MADE_WITH.get(name)


def missing_files(existing: Collection[str]) -> frozenset[ResultFile]:
    """Return what can still be made of a crawl whose results have the `existing` files; nothing without results."""
    if SUMMARY not in existing:
        return frozenset()
    return frozenset(file for file, names in FILES.items() if not set(names) <= set(existing))


def made_files(existing: Collection[str]) -> frozenset[ResultFile]:
    """Return what was made of a crawl, and so must be made again with its results."""
    return frozenset(file for name, file in _MADE_WITH.items() if name in existing)
