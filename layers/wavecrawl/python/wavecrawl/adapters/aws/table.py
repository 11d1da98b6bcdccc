"""The one DynamoDB table, as the adapters see it: rows in and out, conditions, transactions, bulk.

A condition that does not hold is an answer, not an error. Everything that throttling leaves undone is asked for again
until it is done, or ThrottledError says that it is not.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.attributes import Row, text, text_of
from wavecrawl.adapters.aws.faults import THROTTLED, Patience, attempts, code_of, translated
from wavecrawl.adapters.aws.names import Key
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.errors import StoreBusyError, ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from wavecrawl.adapters.aws.meter import AwsMeter

_KEYS_A_READ = 100  # of BatchGetItem
_ROWS_A_WRITE = 25  # of BatchWriteItem
_SIDE_BY_SIDE = 8  # bulk requests at once
_FIRST = " "  # sorts before every sort key of ours
_LAST = "\U0010ffff"  # sorts after every character there is
_NAME = re.compile(r"#(\w+)")
_FAILED = "ConditionalCheckFailed"
_AGAIN = frozenset(("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"))


def keyed(key: Key) -> Row:
    """Return a key as attributes."""
    return {"pk": text(key[0]), "sk": text(key[1])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a conditional write."""

    made: bool  # the condition held, and the change was made
    row: Row  # after the change; where it was not made, what stood in its way ({}: there was no row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An update of one row. Attribute names stand as #name in the expressions."""

    key: Key
    update: str
    condition: str = ""
    values: Row = field(default_factory=dict)

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of UpdateItem, alone or in a transaction."""
        request: dict[str, Any] = {"TableName": table, "Key": keyed(self.key), "UpdateExpression": self.update}
        return request | _conditions(self.condition, self.values, _names(self.update, self.condition))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """A row to store where `condition` holds."""

    key: Key
    row: Row
    condition: str = ""
    values: Row = field(default_factory=dict)

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of PutItem, alone or in a transaction."""
        request: dict[str, Any] = {"TableName": table, "Item": keyed(self.key) | self.row}
        return request | _conditions(self.condition, self.values, _names(self.condition))


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A row to delete where `condition` holds."""

    key: Key
    condition: str

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of DeleteItem in a transaction."""
        request: dict[str, Any] = {"TableName": table, "Key": keyed(self.key)}
        return request | _conditions(self.condition, {}, _names(self.condition))


class Table:
    """A client and the name of a table. Safe to share between threads."""

    def __init__(
        self,
        client: "DynamoDBClient",
        name: str,
        *,
        meter: "AwsMeter | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._name = name
        self._meter = meter
        self._sleep = sleep

    @property
    def is_metered(self) -> bool:
        """Tell whether what requests cost is counted."""
        return self._meter is not None

    def charged_elsewhere(self, *, write_units: float) -> None:
        """Take off the meter what is written into a bill already."""
        if self._meter is not None:
            self._meter.add(Usage(write_units=-write_units))

    def get(self, key: Key, *, consistent: bool = True) -> Row | None:
        """Return a row, or None."""
        answer = self._ask("get_item", Key=keyed(key), ConsistentRead=consistent)
        row: Row | None = answer.get("Item")
        return row

    def get_many(self, keys: Iterable[Key], *, consistent: bool = False) -> list[Row]:
        """Return the rows that exist, in any order."""
        wanted = list(dict.fromkeys(keys))
        chunks = [wanted[start : start + _KEYS_A_READ] for start in range(0, len(wanted), _KEYS_A_READ)]
        return [row for rows in _side_by_side(lambda chunk: self._get_chunk(chunk, consistent), chunks) for row in rows]

    def put_many(self, rows: Mapping[Key, Row]) -> None:
        """Store rows, replacing what is there."""
        puts = [{"PutRequest": {"Item": keyed(key) | row}} for key, row in rows.items()]
        chunks = [puts[start : start + _ROWS_A_WRITE] for start in range(0, len(puts), _ROWS_A_WRITE)]
        _side_by_side(self._write_chunk, chunks)

    def delete_many(self, keys: Iterable[Key]) -> None:
        """Delete rows, where they exist."""
        deletes = [{"DeleteRequest": {"Key": keyed(key)}} for key in keys]
        chunks = [deletes[start : start + _ROWS_A_WRITE] for start in range(0, len(deletes), _ROWS_A_WRITE)]
        _side_by_side(self._write_chunk, chunks)

    def put(self, row: NewRow) -> Answer:
        """Store a row where its condition holds."""
        return self._change("put_item", row.request(self._name))

    def update(self, change: Change) -> Answer:
        """Change a row where the condition holds; one that does not exist comes to life."""
        return self._change("update_item", change.request(self._name) | {"ReturnValues": "ALL_NEW"})

    def delete(self, key: Key, *, condition: str = "", values: Row | None = None) -> bool:
        """Delete a row, if it exists and the condition holds; return whether there was one to delete."""
        request = {"Key": keyed(key), "ReturnValues": "ALL_OLD"} | _conditions(
            condition, values or {}, _names(condition)
        )
        answer = self._change("delete_item", request)
        return answer.made and bool(answer.row)

    def query(
        self, partition: str, prefix: str, *, below: str = "", newest: int = 0, consistent: bool = True
    ) -> list[Row]:
        """Return the rows of a partition whose sort keys start with `prefix`, in order of these.

        `newest` > 0 returns only so many, from the highest down, and only below sort key `below` where that is given.
        """
        if not below:
            return self._query(partition, (prefix, ""), newest, forward=not newest, consistent=consistent)
        rows = self._query(partition, (prefix, below), newest and newest + 1, forward=not newest, consistent=consistent)
        rows = [row for row in rows if text_of(row, "sk") != below]
        return rows[:newest] if newest else rows

    def oldest(self, partition: str, prefix: str, *, limit: int, above: str = "") -> list[Row]:
        """Return so many rows whose sort keys start with `prefix`, from the lowest up; only those above `above`."""
        bounds = (above, prefix + _LAST) if above else (prefix, "")
        rows = self._query(partition, bounds, limit + 1, forward=True, consistent=True)
        return [row for row in rows if text_of(row, "sk") != above][:limit]

    def all_of(self, partition: str) -> list[Row]:
        """Return every row of a partition."""
        return self._query(partition, (_FIRST, _LAST), 0, forward=True, consistent=True)

    def _query(
        self, partition: str, bounds: tuple[str, str], limit: int, *, forward: bool, consistent: bool
    ) -> list[Row]:
        """Return `limit` rows (0 = all) between two sort keys, or that start with the first where there is one."""
        low, high = bounds
        condition = "#pk = :pk AND #sk BETWEEN :sk AND :high" if high else "#pk = :pk AND begins_with(#sk, :sk)"
        values = {":pk": text(partition), ":sk": text(low)} | ({":high": text(high)} if high else {})
        asked: dict[str, Any] = {"KeyConditionExpression": condition, "ConsistentRead": consistent}
        asked |= {"ExpressionAttributeNames": _names(condition), "ExpressionAttributeValues": values}
        asked |= {} if forward else {"ScanIndexForward": False}
        asked |= {"Limit": limit} if limit else {}
        rows: list[Row] = []
        while True:
            answer = self._ask("query", **asked)
            rows += answer["Items"]
            if "LastEvaluatedKey" not in answer or (limit and len(rows) >= limit):
                return rows[:limit] if limit else rows
            asked["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def transact(self, steps: Sequence[Change | NewRow | Removal], patience: Patience = THROTTLED) -> list[Answer]:
        """Make all changes or none. Return no answers where they were made, otherwise what each condition said.

        The client token makes repeats of a request whose answer was lost harmless for ten minutes:
        https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
        """
        items = [{_KIND[type(step)]: step.request(self._name)} for step in steps]
        what = f"transaction on table {self._name}"
        token = str(uuid4())
        for _ in attempts(self._sleep, patience):
            with translated(what):
                try:
                    self._client.transact_write_items(
                        TransactItems=items,  # type: ignore[arg-type]  # the kinds are as _KIND says
                        ClientRequestToken=token,
                        ReturnConsumedCapacity="TOTAL",
                    )
                except ClientError as error:
                    answers, again = _canceled(error)
                else:
                    return []
            if not again:
                return answers
        raise StoreBusyError(f"{what}: others were in its way, again and again")

    def _change(self, operation: str, request: dict[str, Any]) -> Answer:
        try:
            answer = self._ask(operation, **request)
        except ConditionFailedError as failed:
            return Answer(made=False, row=failed.row)
        return Answer(made=True, row=answer.get("Attributes", {}))

    def _get_chunk(self, keys: Sequence[Key], consistent: bool) -> list[Row]:  # noqa: FBT001 - of the caller's keyword
        left: dict[str, Any] = {self._name: {"Keys": [keyed(key) for key in keys], "ConsistentRead": consistent}}
        rows: list[Row] = []
        for _ in attempts(self._sleep):
            answer = self._ask("batch_get_item", RequestItems=left)
            rows += answer.get("Responses", {}).get(self._name, [])
            left = answer.get("UnprocessedKeys", {})
            if not left:
                return rows
        raise ThrottledError(f"table {self._name}: rows are left unread, also after many attempts")

    def _write_chunk(self, writes: list[dict[str, Any]]) -> None:
        left: dict[str, Any] = {self._name: writes}
        for _ in attempts(self._sleep):
            left = self._ask("batch_write_item", RequestItems=left).get("UnprocessedItems", {})
            if not left:
                return
        raise ThrottledError(f"table {self._name}: rows are left unwritten, also after many attempts")

    def _ask(self, operation: str, **request: Any) -> dict[str, Any]:
        """Ask once; again where a transaction is under way on the same row, which botocore does not retry."""
        what = f"{operation} on table {self._name}"
        if not operation.startswith("batch"):
            request["TableName"] = self._name
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    answer: dict[str, Any] = getattr(self._client, operation)(**request, ReturnConsumedCapacity="TOTAL")
                except ClientError as error:
                    code = code_of(error)
                    if code == "ConditionalCheckFailedException":
                        row: Row = error.response.get("Item", {})  # type: ignore[assignment]  # botocore knows no extras
                        raise ConditionFailedError(row) from error
                    if code != "TransactionConflictException":
                        raise
                else:
                    return answer
        raise StoreBusyError(f"{what}: transactions were in its way, again and again")


class ConditionFailedError(Exception):
    """A condition did not hold; never leaves this module."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row = row


_KIND = {Change: "Update", NewRow: "Put", Removal: "Delete"}


def _side_by_side(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    if len(parts) <= 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(min(_SIDE_BY_SIDE, len(parts))) as pool:
        return list(pool.map(work, parts))


def _conditions(condition: str, values: Row, names: Mapping[str, str]) -> dict[str, Any]:
    request: dict[str, Any] = {}
    if names:
        request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = values
    if condition:
        request |= {"ConditionExpression": condition, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    return request


@lru_cache(maxsize=64)
def _names(*expressions: str) -> dict[str, str]:
    """Return every #name of the expressions: many plain words are reserved in DynamoDB."""
    return {f"#{name}": name for expression in expressions for name in _NAME.findall(expression)}


def _canceled(error: ClientError) -> tuple[list[Answer], bool]:
    """Return what each condition of a canceled transaction said, and whether asking again may help."""
    code = code_of(error)
    if code == "TransactionInProgressException":
        return [], True
    if code != "TransactionCanceledException":
        raise error
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
    codes = {reason.get("Code", "None") for reason in reasons}
    if _FAILED not in codes and codes & _AGAIN:
        return [], True
    if _FAILED not in codes:
        raise error
    return [Answer(made=reason.get("Code") != _FAILED, row=reason.get("Item", {})) for reason in reasons], False
