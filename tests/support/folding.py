"""Parts of crawls in tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.application.fold_wave import FoldPorts, fold_rest
from wavecrawl.application.fold_wave import fold_ports as ports_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.parts import Table


def fold_ports(ports: Ports, scratch: Path) -> FoldPorts:
    """Return the ports of folding over a store."""
    scratch.mkdir(parents=True, exist_ok=True)
    return ports_of(ports, DuckDbPartWriter(), scratch=scratch)


def fold_all(ports: Ports, crawl: CrawlId, scratch: Path, *, is_over: bool = True) -> Mapping[Table, list[Path]]:
    """Fold a crawl to its last wave; return the files of its parts."""
    return fold_rest(crawl, fold_ports(ports, scratch), is_over=is_over)


def rows(files: list[Path], query: str = "SELECT * FROM part") -> list[dict[str, Any]]:
    """Return the rows of a query over the view `part` of some Parquet files, in stored order."""
    with duckdb.connect() as db:
        if not files:
            return []
        names = ", ".join(f"'{path}'" for path in files)
        db.execute(f"CREATE VIEW part AS SELECT * FROM read_parquet([{names}])")
        found = db.execute(query)
        columns = [column[0] for column in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
