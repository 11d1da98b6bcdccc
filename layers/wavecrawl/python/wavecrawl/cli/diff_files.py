"""All differences between two crawls, in three files: diff.csv, diff.json and text.diff."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.pages.spreadsheet_cells import cell
from wavecrawl.domain.pages.text_diff import DiffLimits, text_diff
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.results import ChangedValue, DiffCounts, DiffRow, Mark, Results

TABLE, DIFFERENCES, TEXTS = "diff.csv", "diff.json", "text.diff"

_COLUMNS = ("kind", "url", "value", "related", "before", "now")
_PART = 1_000  # rows per query
_TEXTS = 100  # per query


def write_diff(
    results: Results, old: CrawlId, new: CrawlId, found: DiffCounts, folder: Path, *, limits: DiffLimits
) -> None:
    """Write the files, with the counts that were `found`; raise InvalidInputError if they cannot be written."""
    counts = {"base": old.crawl, "crawl": new.crawl, **asdict(found)}

    def rows() -> Iterator[DiffRow]:
        return (row for kind in DiffKind for row in differences(results, old, new, kind))

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / DIFFERENCES).open("w", encoding="utf-8") as file:
            file.write(json.dumps(counts)[:-1] + ', "differences": [')
            file.writelines(
                f"{',' if number else ''}\n{json.dumps(msgspec.to_builtins(row), ensure_ascii=False)}"
                for number, row in enumerate(rows())
            )
            file.write("\n]}\n")
        with (folder / TABLE).open("w", encoding="utf-8-sig", newline="") as file:  # Excel needs the mark of UTF-8
            table = csv.writer(file)
            table.writerow(_COLUMNS)
            table.writerows([cell(text) for text in line] for row in rows() for line in _lines(row))
        with (folder / TEXTS).open("w", encoding="utf-8") as file:
            file.writelines(f"{change}\n" for change in text_diffs(results, old, new, limits))
    except OSError as error:
        raise InvalidInputError(f"--to {folder} cannot be written: {error.strerror or error}") from error


def _lines(row: DiffRow) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a difference in the table: one for each value of a changed page."""
    for value in row.values or (ChangedValue(name="", before=row.before, now=row.now),):
        yield row.kind.value, row.url, value.name, row.related, value.before, value.now


def differences(results: Results, old: CrawlId, new: CrawlId, kind: DiffKind) -> Iterator[DiffRow]:
    """Yield all differences of a kind."""
    part = results.differences(old, new, kind, limit=_PART)
    yield from part.rows
    while part.following is not None:
        part = results.differences(old, new, kind, limit=_PART, after=part.following)
        yield from part.rows


def text_diffs(results: Results, old: CrawlId, new: CrawlId, limits: DiffLimits) -> Iterator[str]:
    """Yield the unified diff of each changed text, with the URL and the crawls as file names."""
    after: Mark | None = None
    while True:
        part = results.changed_texts(old, new, limit=_TEXTS, after=after)
        for texts in part.rows:
            found = text_diff(texts.before, texts.now, limits)
            rest = "... (more)\n" if found.truncated else ""
            if found.lines:
                yield f"--- {texts.url}\t{old.crawl}\n+++ {texts.url}\t{new.crawl}\n{found.text}{rest}".rstrip("\n")
        if part.following is None:
            return
        after = part.following
