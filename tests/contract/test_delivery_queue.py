"""The queue of deliveries in SQS. The embedded store has no such queue: a delivery's row holds when it is due."""

import pytest
from tests.support.emulator import emulated_clients, new_queue

from wavecrawl.adapters.aws.delivery_queue import LONGEST_WAIT, SqsDeliveryQueue, delivery_from
from wavecrawl.domain.webhooks.delivery import DeliveryId
from wavecrawl.errors import InvalidInputError

ID = DeliveryId(tenant="t", webhook="w", delivery="msg_1")


def test_a_delivery_arrives_and_waits_for_its_next_turn() -> None:
    sqs = emulated_clients().sqs
    url = new_queue(emulated_clients())
    queue = SqsDeliveryQueue(sqs, url)
    queue.send(ID)
    (first,) = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5, VisibilityTimeout=30)["Messages"]
    assert delivery_from(first["Body"]) == ID
    queue.wait(first["ReceiptHandle"], seconds=900.0)
    assert sqs.receive_message(QueueUrl=url, WaitTimeSeconds=0).get("Messages", []) == []
    queue.wait(first["ReceiptHandle"], seconds=0.0)
    (second,) = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]
    assert second["MessageId"] == first["MessageId"]


@pytest.mark.parametrize(("seconds", "hidden"), [(-3.0, 0), (0.2, 1), (300.0, 300), (1e9, int(LONGEST_WAIT))])
def test_waits_are_whole_seconds_that_sqs_can_do(seconds: float, hidden: int) -> None:
    asked: list[int] = []

    class Sqs:
        def change_message_visibility(self, **request: int) -> None:
            asked.append(request["VisibilityTimeout"])

    SqsDeliveryQueue(Sqs(), "url").wait("receipt", seconds=seconds)  # type: ignore[arg-type]  # the part that is used
    assert asked == [hidden]


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"tenant": 1, "webhook": "w", "delivery": "d"}', "\ud800"])
def test_what_names_no_delivery_is_refused(body: str) -> None:
    with pytest.raises(InvalidInputError):
        delivery_from(body)
