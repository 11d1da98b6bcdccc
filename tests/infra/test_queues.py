"""Queues in the template."""

from typing import Any
from unittest.mock import ANY

from infra.config import LEASE_SECONDS
from tests.infra.reading import function_of, properties
from tests.support.synthesis import Assembly

from wavecrawl.adapters.aws.delivery_queue import LONGEST_WAIT
from wavecrawl.cloud.fetch_batch import MOST_DELIVERIES
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.webhooks.delivery import DELAYS, SPREAD

SIX_HOURS = 21_600

SQS_REFUSAL = {
    "Effect": "Deny",
    "Principal": {"AWS": "*"},
    "Action": "sqs:*",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}


def test_every_queue_is_a_dead_letter_queue_or_has_one(assembly: Assembly) -> None:
    queues = assembly.of_kind("AWS::SQS::Queue")
    dead = {_redrive(queue) for queue in queues.values()} | _dead_letters_of_events(assembly)
    assert all(id_ in dead or _redrive(queue) in queues for id_, queue in queues.items())


def test_every_queue_has_an_alarm_if_all_are_wanted(everything: Assembly) -> None:
    alarmed = {
        dimension["Value"]["Fn::GetAtt"][0]
        for alarm in properties(everything, "AWS::CloudWatch::Alarm")
        for dimension in alarm["Dimensions"]
        if dimension["Name"] == "QueueName"
    }
    assert alarmed == set(everything.of_kind("AWS::SQS::Queue"))


def test_queues_refuse_what_is_not_tls(assembly: Assembly) -> None:
    refusing = set()
    for policy in properties(assembly, "AWS::SQS::QueuePolicy"):
        statements = policy["PolicyDocument"]["Statement"]
        if any(SQS_REFUSAL.items() <= statement.items() for statement in statements):
            refusing |= {queue["Ref"] for queue in policy["Queues"]}
    assert refusing == set(assembly.of_kind("AWS::SQS::Queue"))


def test_only_roles_and_rules_may_send_to_a_queue(assembly: Assembly) -> None:
    allowed = [
        statement
        for policy in properties(assembly, "AWS::SQS::QueuePolicy")
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    assert len(allowed) == 4  # the dead letters of three rules, and the target of one
    for statement in allowed:
        assert statement["Principal"] == {"Service": "events.amazonaws.com"}
        assert "aws:SourceArn" in statement["Condition"]["ArnEquals"]


def test_time_outs_fit_one_another(assembly: Assembly) -> None:
    fetch = function_of(assembly, "fetch-batch")
    queue = queue_named(assembly, "QueuesFetch")
    assert queue["VisibilityTimeout"] == 6 * fetch["Timeout"]
    assert fetch["Timeout"] <= LEASE_SECONDS <= queue["VisibilityTimeout"]
    for name, function in (("QueuesRender", "render-batch"), ("QueuesMedia", "process-media")):
        slow, worker = queue_named(assembly, name), function_of(assembly, function)
        assert slow["VisibilityTimeout"] == 6 * worker["Timeout"]
        assert worker["Timeout"] <= LEASE_SECONDS <= slow["VisibilityTimeout"]
        assert slow["RedrivePolicy"] == {**queue["RedrivePolicy"], "deadLetterTargetArn": ANY}
    index = queue_named(assembly, "QueuesIndex")
    assert index["VisibilityTimeout"] == 6 * function_of(assembly, "index-site")["Timeout"]
    attempts = CrawlSettings().waves.max_attempts
    assert queue["RedrivePolicy"]["maxReceiveCount"] > MOST_DELIVERIES + attempts, "a message that waits may be lost"


def test_a_delivery_lives_through_its_day_of_tries(assembly: Assembly) -> None:
    queue = queue_named(assembly, "QueuesDeliveries")
    assert queue["VisibilityTimeout"] == 6 * function_of(assembly, "deliver")["Timeout"]
    assert queue["RedrivePolicy"]["maxReceiveCount"] >= 2 * (len(DELAYS) + 1)
    assert queue["MessageRetentionPeriod"] >= 2 * sum(DELAYS) * (1 + SPREAD)
    assert max(DELAYS) * (1 + SPREAD) < LONGEST_WAIT


def test_six_hours_of_throttles_move_no_message_to_a_dead_letter_queue(everything: Assembly) -> None:
    """A throttled message costs a receive per visibility timeout. fetch_timeout 60 has the shortest of all."""
    fed = {
        mapping["EventSourceArn"]["Fn::GetAtt"][0]
        for mapping in properties(everything, "AWS::Lambda::EventSourceMapping")
    }
    assert len(fed) > 1
    most_waits = max(MOST_DELIVERIES + CrawlSettings().waves.max_attempts, 2 * (len(DELAYS) + 1))
    assert sum("QueuesFolds" in id_ for id_ in fed) == 1
    for id_ in fed:
        waits = 0 if "QueuesFolds" in id_ else most_waits
        queue = everything.of_kind("AWS::SQS::Queue")[id_]["Properties"]
        assert (queue["RedrivePolicy"]["maxReceiveCount"] - waits) * queue["VisibilityTimeout"] >= SIX_HOURS, id_


def test_events_are_retried_for_six_hours_if_lambda_throttles_their_function(assembly: Assembly) -> None:
    """The number of tries counts errors of the function only; Lambda retries throttles until the maximum age."""
    functions = assembly.of_kind("AWS::Lambda::Function")
    called = [
        target
        for rule in properties(assembly, "AWS::Events::Rule")
        for target in rule["Targets"]
        if target["Arn"]["Fn::GetAtt"][0] in functions
    ]
    assert called
    for target in called:
        assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": SIX_HOURS}, "fewer than the default of 185 tries"
    handled = properties(assembly, "AWS::Lambda::EventInvokeConfig")
    assert {target["Arn"]["Fn::GetAtt"][0] for target in called} == {one["FunctionName"]["Ref"] for one in handled}
    assert {one["MaximumEventAgeInSeconds"] for one in handled} == {SIX_HOURS}


def queue_named(assembly: Assembly, name: str) -> dict[str, Any]:
    found = assembly.of_kind("AWS::SQS::Queue").items()
    queue: dict[str, Any] = next(one["Properties"] for id_, one in found if id_.removesuffix(id_[-8:]) == name)
    return queue


def test_dead_letters_are_kept_longer_than_letters(assembly: Assembly) -> None:
    queues = assembly.of_kind("AWS::SQS::Queue")
    assert any(_redrive(queue) for queue in queues.values())
    for queue in queues.values():
        if dead := _redrive(queue):
            kept = queues[dead]["Properties"]["MessageRetentionPeriod"]
            assert kept > queue["Properties"]["MessageRetentionPeriod"]


def _redrive(queue: dict[str, Any]) -> str:
    policy = queue["Properties"].get("RedrivePolicy")
    return str(policy["deadLetterTargetArn"]["Fn::GetAtt"][0]) if policy else ""


def _dead_letters_of_events(assembly: Assembly) -> set[str]:
    return {
        target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]
        for rule in properties(assembly, "AWS::Events::Rule")
        for target in rule["Targets"]
    }
