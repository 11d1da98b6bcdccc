"""Queries in Athena: waiting, pages of rows, types, and what goes wrong. tests/contract/test_sql.py runs real ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.athena import AthenaSql
from wavecrawl.errors import ForbiddenError, InvalidInputError

TYPES = {"n": "bigint", "x": "double", "b": "boolean", "t": "varchar", "a": "array"}


@dataclass
class ScriptedAthena:
    """A client whose query passes through the given states."""

    states: list[str]
    pages: Sequence[Sequence[Sequence[str | None]]] = ()
    reason: str = ""
    rejected: str = ""  # code of an error of the start
    stopped: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)

    def start_query_execution(self, **sent: Any) -> dict[str, str]:
        if self.rejected:
            raise ClientError({"Error": {"Code": self.rejected, "Message": "line 1:8: no"}}, "StartQueryExecution")
        self.sent = sent
        return {"QueryExecutionId": "q1"}

    def get_query_execution(self, **_: Any) -> dict[str, Any]:
        state = self.states.pop(0)
        if state == "interrupted":
            raise KeyboardInterrupt
        status = {"State": state} | ({"StateChangeReason": self.reason} if self.reason else {})
        return {"QueryExecution": {"Status": status, "Statistics": {"DataScannedInBytes": 12_345}}}

    def stop_query_execution(self, **sent: str) -> None:
        self.stopped.append(sent["QueryExecutionId"])

    def get_paginator(self, _: str) -> "ScriptedAthena":
        return self

    def paginate(self, **_: str) -> Iterator[dict[str, Any]]:
        described = [{"Name": name, "Type": kind} for name, kind in TYPES.items()]
        for page in self.pages:
            rows = [{"Data": [{} if text is None else {"VarCharValue": text} for text in row]} for row in page]
            yield {"ResultSet": {"Rows": rows, "ResultSetMetadata": {"ColumnInfo": described}}}


def athena(client: ScriptedAthena, waits: list[float] | None = None) -> AthenaSql:
    sleep = (waits if waits is not None else []).append
    return AthenaSql(client, database="db", workgroup="group", sleep=sleep)  # type: ignore[arg-type]  # scripted


def test_rows_of_all_pages_have_python_s_types() -> None:
    header = list(TYPES)
    first = [header, ["1", "0.5", "true", "one", "[a, b]"]]
    client = ScriptedAthena(["QUEUED", "RUNNING", "SUCCEEDED"], [first, [["2", "Infinity", "false", None, None]]])
    waits: list[float] = []
    with athena(client, waits).run("SELECT 1") as found:
        assert list(found.columns) == header
        assert list(found.rows) == [[1, 0.5, True, "one", "[a, b]"], [2, float("inf"), False, None, None]]
        assert found.note == "12,345 bytes were read"
    assert waits == [0.2, 0.4]
    assert client.sent["WorkGroup"] == "group"
    assert client.sent["QueryExecutionContext"] == {"Database": "db"}


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED"])
def test_the_reason_of_a_failed_query_is_reported(state: str) -> None:
    client = ScriptedAthena([state], reason="Query exhausted its limit: Bytes scanned limit was exceeded")
    with pytest.raises(InvalidInputError, match="Bytes scanned limit"), athena(client).run("SELECT 1"):
        pass


def test_a_query_that_cannot_be_parsed_is_invalid_input() -> None:
    client = ScriptedAthena([], rejected="InvalidRequestException")
    with pytest.raises(InvalidInputError, match="line 1:8"), athena(client).run("SELECT 1"):
        pass


def test_missing_permissions_are_named() -> None:
    client = ScriptedAthena([], rejected="AccessDeniedException")
    with pytest.raises(ForbiddenError, match="workgroup group"), athena(client).run("SELECT 1"):
        pass


def test_an_interrupted_query_is_stopped() -> None:
    client = ScriptedAthena(["RUNNING", "interrupted"])
    with pytest.raises(KeyboardInterrupt), athena(client).run("SELECT 1"):
        pass
    assert client.stopped == ["q1"]


def test_tables_are_read_from_the_database_without_deleted_pages() -> None:
    client = ScriptedAthena(["SUCCEEDED"], [[list(TYPES)]])
    with athena(client).run("SELECT url FROM pages") as found:
        assert list(found.rows) == []
    sent = client.sent["QueryString"]
    assert sent.startswith("WITH pages AS (SELECT ")
    assert 'FROM "db".pages t LEFT JOIN "db".hidden h ' in sent
    assert sent.endswith(") SELECT url FROM pages")
