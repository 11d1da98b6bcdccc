"""SQL over the tables of all crawls (docs/sql.md)."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

MEMORY_MB = 1_024
"""Memory limit of a query on one machine, if none is given."""


class SqlRows(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a query. Values are None, numbers, booleans, text, or lists and dicts of them."""

    columns: Sequence[str]
    rows: Iterator[Sequence[object]]
    note: str = ""  # for people: what the query read


class Sql(Protocol):
    """Runs queries. Contract: tests/contract/test_sql.py."""

    def run(self, sql: str) -> AbstractContextManager[SqlRows]:
        """Run one query over the tables and views; rows of deleted pages are left out.

        Raise InvalidInputError if the statement is not a query, or if it fails.
        """
        ...
