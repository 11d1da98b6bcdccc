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
    reason: str = ""  # of each failure
    reasons: list[str] = field(default_factory=list)  # of one failure after the other
    rejected: str = ""  # code of an error of the start
    stopped: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)

    def start_query_execution(self, **sent: Any) -> dict[str, str]:
        if self.rejected:
            raise ClientError({"Error": {"Code": self.rejected, "Message": "line 1:8: no"}}, "StartQueryExecution")
        self.sent = sent
        self.queries.append(sent["QueryString"])
        return {"QueryExecutionId": "q1"}

    def get_query_execution(self, **_: Any) -> dict[str, Any]:
        state = self.states.pop(0)
        if state == "interrupted":
            raise KeyboardInterrupt
        reason = self.reasons.pop(0) if state == "FAILED" and self.reasons else self.reason
        status = {"State": state} | ({"StateChangeReason": reason} if reason else {})
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


FILE = "s3://bucket/tables/pages/tenant=default/site=example.com/crawl=20261128-1/part-0001.parquet"
OTHER = FILE.replace("part-0001", "part-0002")
SPLIT = "(offset=0, length=11977)"
DAMAGE = [
    f"HIVE_BAD_DATA: Not valid Parquet file: {FILE} expected magic number: PAR1 got: xxxx",
    f"HIVE_CURSOR_ERROR: Failed to read Parquet file: {FILE}",
    f"HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split {FILE} {SPLIT}: Incorrect file size (11977) for file",
]


@pytest.mark.parametrize("reason", DAMAGE)
def test_a_file_that_athena_cannot_read_is_left_out_and_named(reason: str) -> None:
    client = ScriptedAthena(["RUNNING", "FAILED", "SUCCEEDED"], [[list(TYPES)]], reasons=[reason])
    with athena(client).run("SELECT p.url FROM pages p JOIN edges e ON e.source_key = p.key") as found:
        assert found.note == (
            f"12,345 bytes were read; left out, as Athena cannot read them: {FILE}. "
            "The rows of these files are missing from the result"
        )
    first, second = client.queries
    without = f"""(SELECT * FROM "db".pages WHERE "$path" NOT IN ('{FILE}'))"""  # noqa: S608
    assert second.count(without) == 1
    assert second.replace(without, '"db".pages') == first


def test_several_unreadable_files_are_left_out() -> None:
    reasons = [DAMAGE[0], DAMAGE[1].replace(FILE, OTHER)]
    client = ScriptedAthena(["FAILED", "FAILED", "SUCCEEDED"], [[list(TYPES)]], reasons=reasons)
    with athena(client).run("SELECT url FROM pages") as found:
        assert f"cannot read them: {FILE}, {OTHER}." in found.note
    assert f"NOT IN ('{FILE}', '{OTHER}')" in client.queries[-1]


@pytest.mark.parametrize(
    "reason",
    [
        f"HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split {FILE} {SPLIT}: Slow Down (Service: Amazon S3; Status: 503)",
        f"HIVE_CANNOT_OPEN_SPLIT: Error opening Hive split {FILE}: (Service: S3, Status Code: 503, Request ID: 1)",
        f"HIVE_FILESYSTEM_ERROR: Error reading from {FILE} at position 4352858",
        f"COLUMN_NOT_FOUND: line 1:8: Column '{FILE}' cannot be resolved",
    ],
    ids=["S3 is busy", "S3 is busy, in newer words", "the connection broke", "the query is wrong"],
)
def test_no_file_is_left_out_for_another_error(reason: str) -> None:
    client = ScriptedAthena(["FAILED"], reason=reason)
    with pytest.raises(InvalidInputError, match="the query failed"), athena(client).run("SELECT url FROM pages"):
        pass
    assert len(client.queries) == 1


def test_a_query_that_still_meets_the_same_file_fails() -> None:
    """The query itself may read the table of the database, whose files cannot be chosen."""
    client = ScriptedAthena(["FAILED", "FAILED"], reason=DAMAGE[0])
    with (
        pytest.raises(InvalidInputError, match="expected magic number"),
        athena(client).run('SELECT 1 FROM "db".pages'),
    ):
        pass
    assert len(client.queries) == 2


def test_a_query_that_meets_too_many_unreadable_files_fails_and_names_them() -> None:
    reasons = [DAMAGE[0].replace("part-0001", f"part-{number:04}") for number in range(11)]
    client = ScriptedAthena(["FAILED"] * 11, reasons=reasons)
    with pytest.raises(InvalidInputError, match=r"part-0010\.parquet expected.*part-0009\.parquet\. The rows"):
        athena(client).run("SELECT url FROM pages").__enter__()
    assert len(client.queries) == 11
