"""The DynamoDB table: rows, conditional writes, transactions and bulk requests.

A failed condition is a return value, not an error. Work that throttling leaves undone is retried, up to a limit.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.attributes import Row, from_item
from wavecrawl.adapters.aws.faults import THROTTLED, Patience, attempts, code_of, translated
from wavecrawl.adapters.aws.names import Key
from wavecrawl.adapters.aws.writes import Answer, Change, NewRow, Removal, key_item, placeholders
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.errors import StoreBusyError, ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from wavecrawl.adapters.aws.meter import AwsMeter

_KEYS_PER_READ = 100  # of BatchGetItem
_ROWS_PER_WRITE = 25  # of BatchWriteItem
_PARALLEL = 8  # bulk requests at once
_FIRST = " "  # sorts before every sort key in use
_LAST = "\U0010ffff"  # sorts after every other character
_FAILED = "ConditionalCheckFailed"
_RETRIED = frozenset(("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"))


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
        """Whether the cost of requests is counted."""
        return self._meter is not None

    def charged_elsewhere(self, *, write_units: float) -> None:
        """Take write units off the meter that are part of a bill already."""
        if self._meter is not None:
            self._meter.add(Usage(write_units=-write_units))

    def get(self, key: Key, *, consistent: bool = True) -> Row | None:
        """Return a row, or None."""
        item = self._request("get_item", Key=key_item(key), ConsistentRead=consistent).get("Item")
        return from_item(item) if item else None

    def get_many(self, keys: Iterable[Key]) -> list[Row]:
        """Return the rows that exist, in any order."""
        chunks = _chunks([key_item(key) for key in dict.fromkeys(keys)], _KEYS_PER_READ)
        return [row for rows in in_parallel(self._get_chunk, chunks) for row in rows]

    def delete_many(self, keys: Iterable[Key]) -> None:
        """Delete rows, if they exist."""
        writes = [{"DeleteRequest": {"Key": key_item(key)}} for key in keys]
        in_parallel(self._write_chunk, _chunks(writes, _ROWS_PER_WRITE))

    def put(self, row: NewRow) -> Answer:
        """Store a row if its condition holds."""
        return self._write("put_item", row.request(self._name))

    def update(self, change: Change) -> Answer:
        """Update a row if the condition holds."""
        return self._write("update_item", change.request(self._name) | {"ReturnValues": "ALL_NEW"})

    def delete(self, key: Key, *, condition: str = "", values: Row | None = None) -> bool:
        """Delete a row if it exists and the condition holds; return whether it was deleted."""
        removal = Removal(key=key, condition=condition, values=values or {})
        answer = self._write("delete_item", removal.request(self._name) | {"ReturnValues": "ALL_OLD"})
        return answer.made and bool(answer.row)

    def query(
        self,
        partition: str,
        prefix: str = "",
        *,
        after: str = "",
        before: str = "",
        limit: int = 0,
        descending: bool = False,
        consistent: bool = True,
    ) -> list[Row]:
        """Return rows of a partition in the order of their sort keys.

        `prefix`: only sort keys that start so. `after`, `before`: only sort keys whose rest sorts above or below.
        `limit`: the most rows to return, 0 = all.
        """
        bounds = [f"{prefix}{bound}" for bound in (after, before) if bound]
        condition = "#pk = :pk AND #sk BETWEEN :low AND :high"
        values: Row = {"pk": partition, "low": f"{prefix}{after}" or _FIRST, "high": f"{prefix}{before or _LAST}"}
        request: dict[str, Any] = {"KeyConditionExpression": condition, "ConsistentRead": consistent}
        request |= {"ScanIndexForward": not descending} | placeholders(values, condition)
        if limit:
            request["Limit"] = limit + len(bounds)  # BETWEEN includes its bounds
        rows: list[Row] = []
        while True:
            response = self._request("query", **request)
            rows += [row for row in map(from_item, response["Items"]) if row["sk"] not in bounds]
            if "LastEvaluatedKey" not in response or 0 < limit <= len(rows):
                return rows[:limit] if limit else rows
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]

    def transact(self, steps: Sequence[Change | NewRow | Removal], patience: Patience = THROTTLED) -> list[Answer]:
        """Make all changes or none. Return [] if they were made, otherwise the outcome of each condition.

        The client token makes a repeated request harmless for ten minutes:
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
                    answers = _cancellation(error)
                else:
                    return []
            if answers is not None:
                return answers
        raise StoreBusyError(f"{what}: conflicts with other transactions, also after many attempts. Try again later")

    def _write(self, operation: str, request: dict[str, Any]) -> Answer:
        try:
            response = self._request(operation, **request)
        except ConditionFailedError as failed:
            return Answer(made=False, row=failed.row)
        return Answer(made=True, row=from_item(response.get("Attributes", {})))

    def _get_chunk(self, keys: Sequence[Row]) -> list[Row]:
        left: dict[str, Any] = {self._name: {"Keys": keys, "ConsistentRead": True}}
        rows: list[Row] = []
        for _ in attempts(self._sleep):
            response = self._request("batch_get_item", RequestItems=left)
            rows += map(from_item, response.get("Responses", {}).get(self._name, []))
            left = response.get("UnprocessedKeys", {})
            if not left:
                return rows
        raise ThrottledError(f"table {self._name}: throttled, rows are unread after many attempts. Try again later")

    def _write_chunk(self, writes: Sequence[dict[str, Any]]) -> None:
        left: dict[str, Any] = {self._name: writes}
        for _ in attempts(self._sleep):
            left = self._request("batch_write_item", RequestItems=left).get("UnprocessedItems", {})
            if not left:
                return
        raise ThrottledError(f"table {self._name}: throttled, rows are unwritten after many attempts. Try again later")

    def _request(self, operation: str, **request: Any) -> dict[str, Any]:
        """Send a request. Retry if a transaction is under way on the same row, which botocore does not do."""
        what = f"{operation} on table {self._name}"
        if not operation.startswith("batch"):
            request["TableName"] = self._name
        for _ in attempts(self._sleep):
            with translated(what):
                try:
                    response: dict[str, Any] = getattr(self._client, operation)(
                        **request, ReturnConsumedCapacity="TOTAL"
                    )
                except ClientError as error:
                    code = code_of(error)
                    if code == "ConditionalCheckFailedException":
                        raise ConditionFailedError(from_item(_extra(error, "Item", {}))) from error
                    if code != "TransactionConflictException":
                        raise
                else:
                    return response
        raise StoreBusyError(f"{what}: conflicts with transactions, also after many attempts. Try again later")


class ConditionFailedError(Exception):
    """A condition did not hold. Never leaves this module."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row = row


_KIND = {Change: "Update", NewRow: "Put", Removal: "Delete"}


def _chunks(parts: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [parts[start : start + size] for start in range(0, len(parts), size)]


def in_parallel(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """Return the results of some requests, sent in parallel."""
    if len(parts) <= 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(min(_PARALLEL, len(parts))) as pool:
        return list(pool.map(work, parts))


def _cancellation(error: ClientError) -> list[Answer] | None:
    """Return the outcome of each condition of a canceled transaction, or None if a retry may help."""
    code = code_of(error)
    if code == "TransactionInProgressException":
        return None
    if code != "TransactionCanceledException":
        raise error
    reasons: list[dict[str, Any]] = _extra(error, "CancellationReasons", [])
    codes = {reason.get("Code", "None") for reason in reasons}
    if _FAILED in codes:
        return [Answer(made=reason.get("Code") != _FAILED, row=from_item(reason.get("Item", {}))) for reason in reasons]
    if codes & _RETRIED:
        return None
    raise error


def _extra(error: ClientError, name: str, default: Any) -> Any:
    """Return a member of an error response that botocore's types do not know."""
    return error.response.get(name, default)
