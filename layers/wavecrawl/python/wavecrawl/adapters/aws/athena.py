"""SQL over the parts of all crawls of a deployment, in Amazon Athena."""

import json
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
from wavecrawl.ports.sql import SqlRows

if TYPE_CHECKING:
    from mypy_boto3_athena import AthenaClient

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 2.0  # seconds between two requests for the state of a query
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
        hidden = f'"{self._database}".{HIDDEN}'
        tables = {table: visible_rows(table, f'"{self._database}".{table}', hidden) for table in COLUMNS}
        with explained(f"a query in workgroup {self._workgroup}"):
            query = self._started(with_views(sql, tables=tables))
            scanned = self._finished(query)
            pages = iter(self._athena.get_paginator("get_query_results").paginate(QueryExecutionId=query))
            first: Any = next(pages)
            columns = first["ResultSet"]["ResultSetMetadata"]["ColumnInfo"]
            rows = chain(first["ResultSet"]["Rows"][1:], _later_rows(pages))  # the first row has the names
            types = [column["Type"] for column in columns]
            yield SqlRows(
                columns=[column["Name"] for column in columns],
                rows=(_values(row["Data"], types) for row in rows),
                note=f"{scanned:,} bytes were read",
            )

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

    def _finished(self, query: str) -> int:
        """Wait for the end of a query; return the bytes it read. Raise InvalidInputError if it failed."""
        wait = _FIRST_WAIT
        try:
            while True:
                found: Any = self._athena.get_query_execution(QueryExecutionId=query)["QueryExecution"]
                state = found["Status"]["State"]
                if state == "SUCCEEDED":
                    return int(found.get("Statistics", {}).get("DataScannedInBytes", 0))
                if state in ("FAILED", "CANCELLED"):
                    reason = found["Status"].get("StateChangeReason", "it was cancelled")
                    raise InvalidInputError(f"the query failed: {reason}")
                self._sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
        except KeyboardInterrupt:
            self._athena.stop_query_execution(QueryExecutionId=query)
            raise


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
