"""The usage that is counted, and its units. The figures are from the price pages that consumption.py names."""

from typing import Any

import pytest
from botocore.stub import Stubber
from tests.adapters.aws.conftest import Cloud

from wavecrawl.adapters.aws.attributes import to_item
from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.consumption import (
    bedrock_usage,
    dynamodb_usage,
    item_size,
    s3_usage,
    s3_vectors_usage,
    sqs_usage,
)
from wavecrawl.adapters.aws.meter import AwsMeter, LambdaMeter
from wavecrawl.domain.crawl.bill import Usage

ITEM = to_item({"pk": "a" * 10, "sk": "\u00e4" * 5, "n": 12.25, "b": b"x" * 100, "y": True})


class Stopwatch:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(name="watch")
def a_stopwatch() -> Stopwatch:
    return Stopwatch()


def test_an_invocation_is_billed_up_to_the_take(watch: Stopwatch) -> None:
    meter = LambdaMeter(watch)
    meter.begin(512)
    watch.seconds += 3.0
    assert meter.take() == Usage(lambda_requests=1.0, lambda_gb_seconds=1.5)


def test_what_comes_after_the_take_goes_to_the_next_one(watch: Stopwatch) -> None:
    meter = LambdaMeter(watch)
    meter.begin(1024)
    watch.seconds += 3.0
    meter.take()
    watch.seconds += 0.5
    meter.end()
    watch.seconds += 600.0  # frozen between invocations: not billed
    meter.begin(1024)
    watch.seconds += 2.0
    assert meter.take() == Usage(lambda_requests=1.0, lambda_gb_seconds=2.5)


def test_a_cold_start_is_billed(watch: Stopwatch) -> None:
    meter = LambdaMeter(watch)
    meter.begin(2048, init_seconds=0.5)
    watch.seconds += 1.0
    assert meter.take() == Usage(lambda_requests=1.0, lambda_gb_seconds=3.0)


def test_time_on_x86_has_a_unit_of_its_own(watch: Stopwatch) -> None:
    meter = LambdaMeter(watch, on_x86=True)
    meter.begin(2048, init_seconds=0.5)
    watch.seconds += 1.0
    assert meter.take() == Usage(lambda_requests=1.0, lambda_x86_gb_seconds=3.0)


def test_nothing_is_billed_outside_invocations(watch: Stopwatch) -> None:
    meter = LambdaMeter(watch)
    watch.seconds += 1.0
    assert meter.take() == Usage()


def test_the_meter_takes_the_function_with_it(watch: Stopwatch) -> None:
    function = LambdaMeter(watch)
    meter = AwsMeter(function)
    function.begin(1024)
    watch.seconds += 1.0
    meter.add(Usage(queue_requests=2.0))
    assert meter.take() == Usage(lambda_requests=1.0, lambda_gb_seconds=1.0, queue_requests=2.0)
    assert meter.take() == Usage()


def test_every_attempt_that_was_answered_is_counted() -> None:
    meter = AwsMeter()
    client = AwsClients(meter=meter, endpoint_url="http://127.0.0.1:9").s3
    emit = client.meta.events.emit
    answered: dict[str, Any] = {"context": {}, "exception": None}
    for status in (200, 404, 503):
        parsed = {"ResponseMetadata": {"HTTPStatusCode": status}}
        emit("response-received.s3.GetObject", response_dict={}, parsed_response=parsed, **answered)
    emit("response-received.s3.GetObject", response_dict=None, parsed_response=None, **answered)
    assert meter.take() == Usage(gets=2.0)
    client.close()


def test_other_services_are_left_alone(cloud: Cloud) -> None:
    client = cloud.clients.secrets
    with Stubber(client) as stub:
        stub.add_response("get_secret_value", {"SecretString": "{}"})
        cloud.meter.take()
        client.get_secret_value(SecretId="s")
    assert cloud.meter.take() == Usage()


def test_the_size_of_an_item_counts_names_and_values() -> None:
    names, strings, numeral, others = 2 + 2 + 1 + 1 + 1, 10 + 10, 4, 100 + 1
    assert item_size(ITEM) == names + strings + numeral + others


@pytest.mark.parametrize(
    ("operation", "answer", "usage"),
    [
        ("PutItem", {"ConsumedCapacity": {"CapacityUnits": 3.0}}, Usage(write_units=3.0)),
        ("Query", {"ConsumedCapacity": {"CapacityUnits": 1.5}}, Usage(read_units=1.5)),
        ("BatchWriteItem", {"ConsumedCapacity": [{"CapacityUnits": 7.0}]}, Usage(write_units=7.0)),
        (
            "TransactWriteItems",
            {"ConsumedCapacity": [{"CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}]},
            Usage(write_units=4.0),
        ),
        (  # the same token twice: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
            "TransactWriteItems",
            {"ConsumedCapacity": [{"CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]},
            Usage(read_units=4.0),
        ),
        ("PutItem", {"Error": {"Code": "ConditionalCheckFailedException"}}, Usage(write_units=1.0)),
        (
            "UpdateItem",
            {"Error": {"Code": "ConditionalCheckFailedException"}, "Item": to_item({"pk": "x" * 1_500})},
            Usage(write_units=2.0),
        ),
        (
            "TransactWriteItems",
            {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": [{"Code": "None"}] * 2},
            Usage(write_units=4.0),
        ),
        ("PutItem", {"Error": {"Code": "ProvisionedThroughputExceededException"}}, Usage()),
    ],
)
def test_dynamodb_is_counted_in_units(operation: str, answer: dict[str, Any], usage: Usage) -> None:
    assert dynamodb_usage(operation, {}, answer, 200) == usage


@pytest.mark.parametrize(("consistent", "units"), [(False, 2.5), (True, 5.0)])
def test_bulk_reads_without_figures_are_estimated(consistent: bool, units: float) -> None:  # noqa: FBT001 - a case
    keys = [to_item({"pk": f"{n}"}) for n in range(5)]
    asked = {"RequestItems": {"t": {"Keys": keys, "ConsistentRead": consistent}}}
    # one small row, one of two read units, one unprocessed, two that do not exist
    answer = {
        "Responses": {"t": [to_item({"pk": "0"}), to_item({"pk": "x" * 5_000})]},
        "UnprocessedKeys": {"t": {"Keys": keys[4:]}},
    }
    assert dynamodb_usage("BatchGetItem", asked, answer, 200) == Usage(read_units=units)


@pytest.mark.parametrize(
    ("operation", "status", "usage"),
    [
        ("PutObject", 200, Usage(puts=1.0)),
        ("PutObject", 412, Usage(puts=1.0)),
        ("ListObjectsV2", 200, Usage(puts=1.0)),
        ("UploadPart", 200, Usage(puts=1.0)),
        ("GetObject", 206, Usage(gets=1.0)),
        ("HeadObject", 404, Usage(gets=1.0)),
        ("GetObject", 503, Usage()),
        ("DeleteObjects", 200, Usage()),
    ],
)
def test_s3_is_counted_by_class(operation: str, status: int, usage: Usage) -> None:
    assert s3_usage(operation, {}, {}, status) == usage


@pytest.mark.parametrize(
    ("operation", "asked", "requests"),
    [
        ("ReceiveMessage", {}, 1.0),
        ("SendMessage", {"MessageBody": "x" * 65_536}, 1.0),
        ("SendMessage", {"MessageBody": "x" * 65_537}, 2.0),
        ("SendMessageBatch", {"Entries": [{"MessageBody": "\u00e4" * 30_000}] * 4}, 4.0),
    ],
)
def test_sqs_is_counted_by_64_kib(operation: str, asked: dict[str, Any], requests: float) -> None:
    assert sqs_usage(operation, asked, {}, 200) == Usage(queue_requests=requests)
    assert sqs_usage(operation, asked, {}, 500) == Usage()


@pytest.mark.parametrize(
    ("model", "usage"),
    [
        ("amazon.titan-embed-text-v2:0", Usage(titan_tokens=12.0)),
        ("eu.cohere.embed-multilingual-v3", Usage(cohere_tokens=12.0)),
    ],
)
def test_models_are_counted_by_tokens(model: str, usage: Usage) -> None:
    answer = {"ResponseMetadata": {"HTTPHeaders": {"x-amzn-bedrock-input-token-count": "12"}}}
    assert bedrock_usage("InvokeModel", {"modelId": model}, answer, 200) == usage
    assert bedrock_usage("InvokeModel", {"modelId": model}, {}, 429) == Usage()


@pytest.mark.parametrize(
    ("operation", "vectors", "status", "kilobytes"),
    [
        ("PutVectors", 500, 200, 500 * (256 * 4 + 3) / 1_024),
        ("PutVectors", 1, 200, 128),  # the least of a request
        ("PutVectors", 500, 404, 0),
        ("QueryVectors", 500, 200, 0),
    ],
)
def test_vectors_are_counted_by_size(operation: str, vectors: int, status: int, kilobytes: float) -> None:
    rows = [{"key": f"{number:03}", "data": {"float32": [0.5] * 256}} for number in range(vectors)]
    usage = s3_vectors_usage(operation, {"vectors": rows}, {}, status)
    assert usage == Usage(vector_gigabytes=kilobytes / 1_024**2)
