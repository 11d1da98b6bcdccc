"""The comparison of two crawls of one site, byte for byte, without times, crawl ids and the server's port."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb

PLACES = ("batch", "screenshot")
"""Fields that name the attempt at a batch, or an object of the crawl."""

KEYS = ("key", "cluster")
"""Hashes of URLs, which contain the port."""

TIMES = (
    "response_time", "response_ms", "elapsed", "fetched_at", "found_at", "started_at", "finished_at", "first_seen",
    "last_seen", "last_changed", "changes_per_day", "template_changes_per_day", "interval_days", "due", "deleted",
)  # fmt: skip


SLOW = "slow_page"
"""The kind of issue that depends on times."""

_PAGE_TABLE = re.compile(r'<div id="page-table">.*?</table>', re.DOTALL)

NOT_COMPARED = "crawl.wacz"
"""It holds the WARCs. Their record ids are random and their order depends on the workers (see test_wacz.py)."""


TRIES = frozenset({"tries"})
"""The column that also counts the workers whose lease ended before a page was read, which depends on the machine."""


def fingerprint(exports: Path, origin: str, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the content of every export without the parts that differ between two crawls of one site.

    `without`: further columns that are not compared.
    """
    found: dict[str, Any] = {}
    for path in sorted(exports.iterdir()):
        if path.name == NOT_COMPARED:
            found[path.name] = "there"
        elif path.suffix == ".parquet":
            found[path.name] = _rows(f"SELECT * FROM read_parquet('{path}')", origin, without)
        elif path.suffix == ".csv":
            found[path.name] = _rows(
                f"SELECT * FROM read_csv('{path}', all_varchar = true, header = true)", origin, without
            )
        elif path.name == "chunks.jsonl.gz":  # its hashes contain URLs with the port
            columns = "* EXCLUDE (id, content_hash, crawl)"
            query = f"SELECT {columns} FROM read_json('{path}', format = 'newline_delimited')"
            found[path.name] = _rows(query, origin, without)
        elif path.name.endswith(".jsonl.gz"):
            options = "format = 'newline_delimited', timestampformat = '%Y-%m-%dT%H:%M:%SZ'"
            found[path.name] = _rows(f"SELECT * FROM read_json('{path}', {options})", origin, without)
        elif path.name == "summary.json":
            summary = json.loads(path.read_text(encoding="utf-8"))
            summary["issues"].pop(SLOW, None)
            found[path.name] = _plain(
                {k: v for k, v in summary.items() if k not in ("timing", "crawl", "bill")}, origin
            )
        elif path.suffix in (".xml", ".json", ".txt"):
            found[path.name] = path.read_text(encoding="utf-8").replace(origin, "")
        elif path.name == "report.html":
            text = re.sub(
                r"crawled [\d: -]+UTC in [^<]*|<b>[^<]*</b><span>median response time|crawl \d{8}-[\w-]+"
                r'|<div class="tile"><b>[^<]*</b><span>AWS cost</span></div>'
                r'|<b>\d+</b><a href="#issues">'
                r'|<details class="issue"><summary><span[^>]*>\w+</span><span>Slow pages</span>.*?</details>',
                "",
                path.read_text(encoding="utf-8"),
            )
            found[path.name] = _PAGE_TABLE.sub(_without_issues, text).replace(origin, "")
    return found


def out_of_time(exports: Path, origin: str) -> Counter[str]:
    """Return the number of tries of each page that did not count, as the lease ended before the page was read.

    No fault is needed for that: on a busy machine a worker that starts can take longer than a lease.
    """
    with (exports / "ledger.csv").open(encoding="utf-8-sig", newline="") as table:
        rows = [(row["url"].removeprefix(origin), int(row["tries"])) for row in csv.DictReader(table)]
    return Counter({path: tries - 1 for path, tries in rows if tries > 1})


def _without_issues(table: re.Match[str]) -> str:
    """Return the table of pages in the report without its last column: the number of issues, with slow pages."""
    return re.sub(r'<td class="number" data-value="\d+">[\d,]+</td></tr>', "</tr>", table[0])


def _rows(query: str, origin: str, without: frozenset[str]) -> list[str]:
    with duckdb.connect() as database:
        table = database.execute(query)
        names = [column[0] for column in table.description or ()]
        kept = [place for place, name in enumerate(names) if name not in {*TIMES, *PLACES, *KEYS, *without}]
        rows = table.fetchall()
        return [_plain([row[place] for place in kept], origin) for row in rows if SLOW not in row]


def _plain(value: object, origin: str) -> str:
    """Replace what depends on the port or the day. Keys are hashes of URLs, so they depend on the port too."""
    text = re.sub(r"due on \d{4}-\d\d-\d\d", "due on DAY", repr(value).replace(origin, ""))
    return re.sub(r"127\.0\.0\.1-[0-9a-f]{8}", "SITE", text)
