"""Each resource that sends to a queue, a topic or a bus may do so."""

import copy
from typing import Any

import pytest
from tests.infra.reading import properties
from tests.infra.senders import ACCOUNT, Senders, Sending, text
from tests.support.synthesis import Assembly


def test_every_sender_may_send(everything: Assembly) -> None:
    senders = Senders(everything)
    found = senders.found()
    services = {sending.service for sending in found}
    assert {"cloudwatch.amazonaws.com", "events.amazonaws.com", "budgets.amazonaws.com", ""} <= services
    assert [sending for sending in found if not senders.may_send(sending)] == []


def test_services_send_for_resources_of_this_account_only(everything: Assembly) -> None:
    """The policies name the resource or the account, so that other accounts cannot use the service as their deputy.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
    """
    allowed = [
        statement
        for kind in ("AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy")
        for policy in properties(everything, kind)
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    assert allowed
    for statement in allowed:
        conditions = {key: text(value) for test in statement["Condition"].values() for key, value in test.items()}
        assert (
            conditions.get("aws:SourceAccount") == ACCOUNT
            or conditions["aws:SourceArn"] in everything.template["Resources"]
        )


def test_alarms_of_other_stacks_may_not_publish(everything: Assembly) -> None:
    senders = Senders(everything)
    (topic,) = everything.of_kind("AWS::SNS::Topic")
    other = f"arn:aws:cloudwatch:eu-west-1:{ACCOUNT}:alarm:another-failed-crawls"
    assert not senders.may_send(Sending(to=topic, service="cloudwatch.amazonaws.com", source=other))


@pytest.mark.parametrize("kind", ["AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy", "AWS::IAM::Policy"])
def test_a_lost_permission_is_found(everything: Assembly, kind: str) -> None:
    """Without the Allows of one kind of policy, some sender may not send: the check above can fail."""
    template: Any = copy.deepcopy(everything.template)
    for resource in template["Resources"].values():
        if resource["Type"] == kind:
            document = resource["Properties"]["PolicyDocument"]
            document["Statement"] = [one for one in document["Statement"] if one["Effect"] == "Deny"]
    senders = Senders(Assembly(folder=everything.folder, template=template))
    assert any(not senders.may_send(sending) for sending in senders.found())
