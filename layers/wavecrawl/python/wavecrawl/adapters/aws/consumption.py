"""The billed usage of one AWS request, computed from the request and its response.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html (a failed condition
costs as much as a write of the item; transactions cost twice), https://aws.amazon.com/s3/pricing/ (classes of
requests), https://aws.amazon.com/sqs/pricing/ (64 KB of payload per request).
"""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from wavecrawl.domain.crawl.bill import Usage

_NOTHING = Usage()
_CHUNK = 64 * 1024
_WRITE_UNIT = 1024
_READ_UNIT = 4096
_ERROR, _SERVER_ERROR = 400, 500
_TOKENS = "x-amzn-bedrock-input-token-count"
_FLOAT, _LEAST_PUT, _GIGABYTE = 4, 128 * 1024, 1024**3  # bytes
_PUT_CLASS = ("Put", "Copy", "Post", "List", "CreateMultipart", "UploadPart", "CompleteMultipart")
_FREE = ("Delete", "AbortMultipart")
_READS = frozenset(("GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"))


def item_size(item: Mapping[str, Any]) -> int:
    """Return the size of an item in bytes as DynamoDB counts it, including attribute names.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def write_units(item: Mapping[str, Any]) -> float:
    """Return the write units for writing an item."""
    return float(max(1, ceil(item_size(item) / _WRITE_UNIT)))


def dynamodb_usage(operation: str, request: Mapping[str, Any], response: Mapping[str, Any], _status: int) -> Usage:
    """Return the units of one request from the response, or an estimate from sizes if it has none."""
    consumed = response.get("ConsumedCapacity")
    if consumed:
        entries = consumed if isinstance(consumed, list) else [consumed]
        return sum((_units(operation, entry) for entry in entries), _NOTHING)
    code = response.get("Error", {}).get("Code", "")
    if code == "ConditionalCheckFailedException":
        return Usage(write_units=write_units(response.get("Item", {})))
    if code == "TransactionCanceledException":
        return _canceled(response)
    if operation == "BatchGetItem" and not code:
        return _batch_get(request, response)
    return _NOTHING


def s3_usage(operation: str, _request: Mapping[str, Any], _response: Mapping[str, Any], status: int) -> Usage:
    """Return the usage of one request by its class. S3 does not bill server errors."""
    if status >= _SERVER_ERROR or operation.startswith(_FREE):
        return _NOTHING
    return Usage(puts=1.0) if operation.startswith(_PUT_CLASS) else Usage(gets=1.0)


def sqs_usage(operation: str, request: Mapping[str, Any], _response: Mapping[str, Any], status: int) -> Usage:
    """Return the number of billed requests of one call."""
    if status >= _SERVER_ERROR:
        return _NOTHING
    size = 0
    if operation == "SendMessageBatch":
        size = sum(len(entry["MessageBody"].encode()) for entry in request.get("Entries", ()))
    elif operation == "SendMessage":
        size = len(request.get("MessageBody", "").encode())
    return Usage(queue_requests=float(max(1, ceil(size / _CHUNK))))


def bedrock_usage(_operation: str, request: Mapping[str, Any], response: Mapping[str, Any], _status: int) -> Usage:
    """Return the input tokens of one request for embeddings, as the response says."""
    tokens = float(response.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get(_TOKENS, 0))
    return Usage(titan_tokens=tokens) if "amazon.titan" in request.get("modelId", "") else Usage(cohere_tokens=tokens)


def s3_vectors_usage(operation: str, request: Mapping[str, Any], _response: Mapping[str, Any], status: int) -> Usage:
    """Return the size of the vectors that one request stores. Other requests cost almost nothing."""
    if operation != "PutVectors" or status >= _ERROR:
        return _NOTHING
    size = sum(_FLOAT * len(one["data"]["float32"]) + len(one["key"].encode()) for one in request.get("vectors", ()))
    return Usage(vector_gigabytes=max(size, _LEAST_PUT) / _GIGABYTE)


Counter = Callable[[str, Mapping[str, Any], Mapping[str, Any], int], Usage]

COUNTERS: Mapping[str, Counter] = {
    "dynamodb": dynamodb_usage,
    "s3": s3_usage,
    "sqs": sqs_usage,
    "bedrock-runtime": bedrock_usage,
    "s3vectors": s3_vectors_usage,
}
"""Counters by service. Other services are billed by other units (transitions) or cost almost nothing."""


def _units(operation: str, entry: Mapping[str, Any]) -> Usage:
    """Return the units of an entry. A repeated transaction consumes read units only."""
    units = float(entry.get("CapacityUnits", 0.0))
    is_read = operation in _READS or (entry.get("ReadCapacityUnits") and not entry.get("WriteCapacityUnits"))
    return Usage(read_units=units) if is_read else Usage(write_units=units)


def _canceled(response: Mapping[str, Any]) -> Usage:
    """Return the usage of a cancelled transaction: each checked item costs as much as a transactional write."""
    reasons = response.get("CancellationReasons", ())
    return Usage(write_units=sum(2.0 * write_units(reason.get("Item", {})) for reason in reasons))


def _batch_get(request: Mapping[str, Any], response: Mapping[str, Any]) -> Usage:
    """Return the usage of a batch read: each item is rounded up; a missing item counts as a small one."""
    total = 0.0
    for table, wanted in request.get("RequestItems", {}).items():
        each = 1.0 if wanted.get("ConsistentRead") else 0.5
        found = response.get("Responses", {}).get(table, ())
        left = len(response.get("UnprocessedKeys", {}).get(table, {}).get("Keys", ()))
        total += each * (len(wanted["Keys"]) - left - len(found))
        total += sum(each * max(1, ceil(item_size(item) / _READ_UNIT)) for item in found)
    return Usage(read_units=total)


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "B":
        return len(content)
    if kind == "N":
        return len(content) // 2 + 2  # two digits per byte and a byte for the exponent, rounded up
    return 1  # BOOL, NULL; the table has no other types
