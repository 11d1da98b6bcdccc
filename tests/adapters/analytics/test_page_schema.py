"""One schema of a page: in JSON Lines, in the API with its client, and in the library. Times are texts everywhere."""

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import fields  # noqa: TID251 - the page of the library is a dataclass
from pathlib import Path
from typing import Any

import duckdb
import jsonschema_rs
import pytest
from tests.adapters.analytics.conftest import Crawled
from tests.adapters.analytics.results_service import ResultsService
from typer.testing import CliRunner

from wavecrawl.api_models.pages import PageDetail, PageLine
from wavecrawl.cli.main import program
from wavecrawl.library.page import Page

SCHEMA = Path(__file__).parents[3] / "docs" / "page.schema.json"
LISTS = ("robots", "headings", "hreflang", "open_graph", "json_ld_types")
OF_LINES = {"phase", "screenshot", "batch"}
ON_DEMAND = {"markdown"}
"""Fields that lines have only if the export was asked for them."""

OF_THE_API = {
    "text_length",
    "markdown_length",
    "markdown_problem",
    "screenshot_url",
    "media",
    "links",
    "linked_from",
    "as_of_wave",
}


def values_in(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from values_in(inner)
    else:
        yield value


def cells_of(path: Path) -> Iterator[Any]:
    if path.name.endswith(".jsonl.gz"):
        yield from values_in([json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()])
    elif path.suffix == ".json":
        yield from values_in(json.loads(path.read_bytes()))
    elif path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from (cell for row in csv.reader(file) for cell in row)


def number_of(value: Any) -> float:
    try:
        return 0.0 if isinstance(value, bool) or value is None else float(value)
    except ValueError:
        return 0.0


def test_each_line_is_valid_by_the_published_schema(crawled: Crawled) -> None:
    validator = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_bytes()), validate_formats=True)
    lines = crawled.done.pages()
    assert not ON_DEMAND & set(lines[0])
    lines += [line | {"markdown": text} for line, text in zip(lines, ("# Title", None), strict=False)]
    assert {line["state"] for line in lines} >= {"fetched", "not_found", "redirected"}
    for line in lines:
        validator.validate(line)
    with pytest.raises(jsonschema_rs.ValidationError, match="fetched_at"):
        validator.validate(lines[0] | {"fetched_at": "1795625660.08"})


def test_a_command_prints_the_schema() -> None:
    printed = CliRunner().invoke(program("schema"), ["schema"])
    assert (printed.exit_code, json.loads(printed.output)) == (0, json.loads(SCHEMA.read_bytes()))


def test_lists_are_empty_and_strings_too_if_a_page_has_none(crawled: Crawled) -> None:
    lost = next(line for line in crawled.done.pages() if line["state"] == "not_found")
    assert [lost[name] for name in LISTS] == [[], [], [], [], []]
    assert (lost["extracted"], lost["text"], lost["not_indexable"]) == ({}, "", "not_found")
    root = crawled.done.pages()[0]
    assert root["headings"][0].keys() == {"level", "text"}
    assert (root["indexable"], root["not_indexable"], len(root["simhash"])) == (True, "", 16)


def test_the_api_returns_the_values_of_the_lines(crawled: Crawled) -> None:
    service = ResultsService(crawled.done.folder.parents[5])
    lines = {line["state"]: line for line in crawled.done.pages()}
    assert len(lines) > 3
    for line in lines.values():
        page = service.ask("GET", f"/v1/crawls/{crawled.done.row.id.crawl}/pages/{line['key']}").body
        assert set(page) - set(line) == OF_THE_API | ON_DEMAND
        assert set(line) - set(page) == OF_LINES
        assert {name: page[name] for name in page.keys() & line.keys()} == {
            name: line[name] for name in page.keys() & line.keys()
        }
    service.close()
    assert set(PageLine.model_fields) - OF_LINES == set(PageDetail.model_fields) - OF_THE_API


def test_a_page_of_the_library_has_the_names_of_the_lines() -> None:
    names = {one.name for one in fields(Page)} - {"links", "_body", "_markdown"}
    assert len(names) > 20
    assert names <= set(PageLine.model_fields)


def test_no_export_has_times_as_numbers(crawled: Crawled) -> None:
    timing = crawled.done.summary.timing
    first, last = timing.started_at.timestamp() - 3600, timing.finished_at.timestamp() + 3600
    cells = {path.name: list(cells_of(path)) for path in crawled.done.exports.iterdir()}
    assert sum(map(bool, cells.values())) > 8
    assert [(name, cell) for name, found in cells.items() for cell in found if first < number_of(cell) < last] == []


def test_parquet_has_times_and_lists_in_types_of_their_own(crawled: Crawled) -> None:
    path = crawled.done.exports / "pages.parquet"
    kinds = dict(
        duckdb.connect()
        .execute("SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet($1))", [str(path)])
        .fetchall()
    )
    assert (kinds["fetched_at"], kinds["robots"]) == ("TIMESTAMP", "VARCHAR[]")
    assert kinds["headings"] == 'STRUCT("level" INTEGER, "text" VARCHAR)[]'
    assert kinds["extracted"] == "MAP(VARCHAR, VARCHAR[])"
