"""Texts as cells of CSV files, in Python and in SQL."""

import duckdb
import pytest

from wavecrawl.domain.pages.spreadsheet_cells import cell, sql_cell

CELLS = {
    "": "",
    "plain text = no formula": "plain text = no formula",
    "https://site.example/?a=-1": "https://site.example/?a=-1",
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-2": "'-2",
    "@SUM(A1)": "'@SUM(A1)",
    "\tx": "'\tx",
    "\r\nx": "'\r\nx",
    "  =1": "'  =1",
    "\xa0=1": "'\xa0=1",
    "\ufeff=1": "'\ufeff=1",  # byte order mark
    "\u200b\u2060@a": "'\u200b\u2060@a",  # no width
    "\u3000\uff1d1": "'\u3000\uff1d1",  # ideographic space, full-width equals sign
    "\uff0b1": "'\uff0b1",
    "\uff0d1": "'\uff0d1",
    "\uff20a": "'\uff20a",
    "\x00=1": "'\ufffd=1",
    "red \x1b[31m\x07 \x7f \x9b2J": "red \ufffd[31m\ufffd \ufffd \ufffd2J",
    "file\u202egpj.exe": "file\ufffdgpj.exe",  # right-to-left override
    "\u2067a\u2069": "\ufffda\ufffd",
    "two\nlines\tand a tab": "two\nlines\tand a tab",
    "\u05e9\u05dc\u05d5\u05dd": "\u05e9\u05dc\u05d5\u05dd",
}


@pytest.mark.parametrize(("text", "expected"), CELLS.items(), ids=ascii)
def test_a_cell_is_neither_a_formula_nor_a_command(text: str, expected: str) -> None:
    assert cell(text) == expected


@pytest.mark.parametrize(("text", "expected"), CELLS.items(), ids=ascii)
def test_sql_gives_the_same_cells(text: str, expected: str) -> None:
    (found,) = duckdb.connect().execute(f"SELECT {sql_cell('text')} FROM (SELECT $1 AS text)", [text]).fetchall()  # noqa: S608 - our own SQL
    assert found == (expected,)
