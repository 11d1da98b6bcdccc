"""SQL over the parts of all crawls of a deployment, in Amazon Athena.

Athena fails a query that meets a file it cannot read, and names the file. The query is then run again without it: by
a condition on the hidden column `"$path"`, Athena does not open the file
(https://docs.aws.amazon.com/athena/latest/ug/querying-finding-source-data.html). The note of the result names the files
that were left out.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.adapters.sql_views import HIDDEN, visible_rows, with_views
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.parts import Table
from wavecrawl.ports.sql import SqlRows

if TYPE_CHECKING:
    from mypy_boto3_athena import AthenaClient

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 2.0  # seconds between two requests for the state of a query
_UNREADABLE = re.compile(
    r"HIVE_(?:BAD_DATA|CURSOR_ERROR|CANNOT_OPEN_SPLIT)\b(?!.*Service: (?:Amazon )?S3).*?(?P<file>s3://[^\s'\"]+?\.parquet)\b",
    re.DOTALL,
)
"""Athena's errors about the content of a file. If S3 refuses or delays a request, a later query may succeed."""

_MOST_LEFT_OUT = 10  # files; each costs a query more
_NUMBERS = ("tinyint", "smallint", "integer", "bigint", "double", "float", "real")


class AthenaSql:
    """`ports.sql.Sql` over a database of Glue's catalog, in a workgroup that limits the bytes of a query."""

    def __init__(
        self,
        athena: "AthenaClient",
        *,
        database: str,
        workgroup: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._athena = athena
        self._database = database
        self._workgroup = workgroup
        self._sleep = sleep

    @contextmanager
    def run(self, sql: str) -> Iterator[SqlRows]:
        """Run one query. It is stopped if the caller is interrupted while it runs."""
        with explained(f"a query in workgroup {self._workgroup}"):
            query, scanned, left_out = self._succeeded(sql)
            pages = iter(self._athena.get_paginator("get_query_results").paginate(QueryExecutionId=query))
            first: Any = next(pages)
            columns = first["ResultSet"]["ResultSetMetadata"]["ColumnInfo"]
            rows = chain(first["ResultSet"]["Rows"][1:], _later_rows(pages))  # the first row has the names
            types = [column["Type"] for column in columns]
            yield SqlRows(
                columns=[column["Name"] for column in columns],
                rows=(_values(row["Data"], types) for row in rows),
                note=f"{scanned:,} bytes were read" + _left_out_note(left_out),
            )

    def _succeeded(self, sql: str) -> tuple[str, int, list[str]]:
        """Run a query without the files that Athena cannot read; return its id, the bytes it read, and those files."""
        left_out: list[str] = []
        while True:
            query = self._started(with_views(sql, tables=self._tables(left_out)))
            scanned, failure = self._finished(query)
            if not failure:
                return query, scanned, left_out
            damaged = _UNREADABLE.search(failure)
            if damaged is None or damaged["file"] in left_out or len(left_out) == _MOST_LEFT_OUT:
                raise InvalidInputError(f"the query failed: {failure}{_left_out_note(left_out)}")
            left_out.append(damaged["file"])

    def _tables(self, left_out: Sequence[str]) -> dict[Table, str]:
        """Return the query for the rows of each table, without those of some files and of deleted pages."""
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in left_out)
        tables = {}
        for table in COLUMNS:
            rows = f'"{self._database}".{table}'
            if any(f"/{table}/" in file for file in left_out):
                rows = f'(SELECT * FROM {rows} WHERE "$path" NOT IN ({listed}))'  # noqa: S608 - its own files
            tables[table] = visible_rows(table, rows, f'"{self._database}".{HIDDEN}')
        return tables

    def _started(self, sql: str) -> str:
        """Start a query; return its id. Raise InvalidInputError if Athena cannot parse it."""
        try:
            started = self._athena.start_query_execution(
                QueryString=sql, QueryExecutionContext={"Database": self._database}, WorkGroup=self._workgroup
            )
        except ClientError as error:
            if code_of(error) == "InvalidRequestException":
                raise InvalidInputError(f"the query failed: {error}") from error
            raise
        return str(started["QueryExecutionId"])

    def _finished(self, query: str) -> tuple[int, str]:
        """Wait for the end of a query; return the bytes it read, and why it failed, or ""."""
        wait = _FIRST_WAIT
        try:
            while True:
                found: Any = self._athena.get_query_execution(QueryExecutionId=query)["QueryExecution"]
                state = found["Status"]["State"]
                if state in ("SUCCEEDED", "FAILED", "CANCELLED"):
                    scanned = int(found.get("Statistics", {}).get("DataScannedInBytes", 0))
                    reason = found["Status"].get("StateChangeReason") or "it was cancelled"
                    return scanned, "" if state == "SUCCEEDED" else reason
                self._sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
        except KeyboardInterrupt:
            self._athena.stop_query_execution(QueryExecutionId=query)
            raise


def _left_out_note(files: Sequence[str]) -> str:
    """Return a note that names the files which were left out; "" without any."""
    if not files:
        return ""
    named = ", ".join(files)
    return f"; left out, as Athena cannot read them: {named}. The rows of these files are missing from the result"


def _later_rows(pages: Iterator[Any]) -> Iterator[Any]:
    for page in pages:
        yield from page["ResultSet"]["Rows"]


def _values(data: Sequence[Any], types: Sequence[str]) -> list[object]:
    return [_value(one.get("VarCharValue"), kind) for one, kind in zip(data, types, strict=True)]


def _value(text: str | None, kind: str) -> object:
    """Return a value; Athena sends all of them as text, and lists and rows in a form of its own."""
    if text is None:
        return None
    if kind == "boolean":
        return text == "true"
    return _number(text) if kind in _NUMBERS else text


def _number(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return float(text)  # such as Infinity
