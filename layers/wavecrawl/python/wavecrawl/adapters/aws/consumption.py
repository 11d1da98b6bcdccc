"""What one request to AWS is billed as, read from the request and its answer. Pure, but for the shapes of botocore.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html (a failed condition
consumes as a write of the item does; transactions consume twice), https://aws.amazon.com/s3/pricing/ (classes of
requests), https://aws.amazon.com/sqs/pricing/ (64 KB of payload a request).
"""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from wavecrawl.domain.crawl.bill import Usage

_NOTHING = Usage()
_CHUNK = 64 * 1024
_WRITE_UNIT = 1024
_READ_UNIT = 4096
_SERVER_ERROR = 500
_PUT_CLASS = ("Put", "Copy", "Post", "List", "CreateMultipart", "UploadPart", "CompleteMultipart")
_FREE = ("Delete", "AbortMultipart")
_READS = frozenset(("GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"))


def item_size(item: Mapping[str, Any]) -> int:
    """Return the size of an item in bytes, as DynamoDB counts it (attribute names count too).

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def write_units(item: Mapping[str, Any]) -> float:
    """Return what writing an item costs, in write units."""
    return float(max(1, ceil(item_size(item) / _WRITE_UNIT)))


def dynamodb_usage(operation: str, asked: Mapping[str, Any], answer: Mapping[str, Any], _status: int) -> Usage:
    """Return the units of one request: as the answer says, or, where it says nothing, estimated from sizes."""
    consumed = answer.get("ConsumedCapacity")
    if consumed:
        entries = consumed if isinstance(consumed, list) else [consumed]
        return sum((_units(operation, entry) for entry in entries), _NOTHING)
    code = answer.get("Error", {}).get("Code", "")
    if code == "ConditionalCheckFailedException":
        return Usage(write_units=write_units(answer.get("Item", {})))
    if code == "TransactionCanceledException":
        return _canceled(answer)
    if operation == "BatchGetItem" and not code:
        return _batch_get(asked, answer)
    return _NOTHING


def s3_usage(operation: str, _asked: Mapping[str, Any], _answer: Mapping[str, Any], status: int) -> Usage:
    """Return the class of one request. S3 bills no request that it failed to serve itself."""
    if status >= _SERVER_ERROR or operation.startswith(_FREE):
        return _NOTHING
    return Usage(puts=1.0) if operation.startswith(_PUT_CLASS) else Usage(gets=1.0)


def sqs_usage(operation: str, asked: Mapping[str, Any], _answer: Mapping[str, Any], status: int) -> Usage:
    """Return the requests that one call counts as."""
    if status >= _SERVER_ERROR:
        return _NOTHING
    size = 0
    if operation == "SendMessageBatch":
        size = sum(len(entry["MessageBody"].encode()) for entry in asked.get("Entries", ()))
    elif operation == "SendMessage":
        size = len(asked.get("MessageBody", "").encode())
    return Usage(queue_requests=float(max(1, ceil(size / _CHUNK))))


Counter = Callable[[str, Mapping[str, Any], Mapping[str, Any], int], Usage]

COUNTERS: Mapping[str, Counter] = {"dynamodb": dynamodb_usage, "s3": s3_usage, "sqs": sqs_usage}
"""By service. The others are priced by what they do, not by who asks (transitions), or cost next to nothing."""


def _units(operation: str, entry: Mapping[str, Any]) -> Usage:
    """A transaction that was made before is only read: its answer says so."""
    units = float(entry.get("CapacityUnits", 0.0))
    is_read = operation in _READS or (entry.get("ReadCapacityUnits") and not entry.get("WriteCapacityUnits"))
    return Usage(read_units=units) if is_read else Usage(write_units=units)


def _canceled(answer: Mapping[str, Any]) -> Usage:
    """Each item whose condition was looked at costs what writing it in a transaction does."""
    reasons = answer.get("CancellationReasons", ())
    return Usage(write_units=sum(2.0 * write_units(reason.get("Item", {})) for reason in reasons))


def _batch_get(asked: Mapping[str, Any], answer: Mapping[str, Any]) -> Usage:
    """Items are rounded up one by one; one that does not exist costs as much as a small one."""
    total = 0.0
    for table, request in asked.get("RequestItems", {}).items():
        each = 1.0 if request.get("ConsistentRead") else 0.5
        found = answer.get("Responses", {}).get(table, ())
        left = len(answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", ()))
        total += each * (len(request["Keys"]) - left - len(found))
        total += sum(each * max(1, ceil(item_size(item) / _READ_UNIT)) for item in found)
    return Usage(read_units=total)


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "B":
        return len(content)
    if kind == "N":
        return len(content) // 2 + 2  # two digits a byte, a byte for the exponent, rounded up
    return 1  # BOOL, NULL; the table holds no other kinds
