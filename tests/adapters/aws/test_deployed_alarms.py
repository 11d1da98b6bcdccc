"""Whether someone is notified of the alarms of a deployment."""

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from wavecrawl.adapters.aws.deployed_alarms import alarms_finding
from wavecrawl.adapters.aws.deployment import Deployment

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


class Session:
    """A boto3 session whose SNS client returns prepared subscriptions, or an error."""

    def __init__(self, subscriptions: dict[str, str] | None) -> None:
        self._subscriptions = subscriptions

    def client(self, service: str) -> Any:
        client = boto3.client(
            service,  # type: ignore[call-overload]  # sns
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="not-a-secret",
        )
        stub = Stubber(client)
        if self._subscriptions is None:
            stub.add_client_error("list_subscriptions_by_topic", "AuthorizationError", "not allowed")
        else:
            found = [
                {"SubscriptionArn": arn, "Endpoint": address, "Protocol": "email"}
                for address, arn in self._subscriptions.items()
            ]
            stub.add_response("list_subscriptions_by_topic", {"Subscriptions": found}, {"TopicArn": TOPIC})
        stub.activate()
        return client


def deployment(subscriptions: dict[str, str] | None, outputs: dict[str, str] | None = None) -> Deployment:
    named = {"AlarmTopicArn": TOPIC} if outputs is None else outputs
    return Deployment(stack="wavecrawl", status="CREATE_COMPLETE", outputs=named, session=Session(subscriptions))


CONFIRMED = f"{TOPIC}:6d0f2b0e"


@pytest.mark.parametrize(
    ("subscriptions", "said"),
    [
        ({}, "no alarm is sent. Deploy with an address: make deploy ARGS='-c alarm_email=ops@example.com'"),
        ({"a@example.com": "PendingConfirmation"}, "no alarm is sent: a@example.com has not opened the link"),
        (None, "could not be checked"),
    ],
)
def test_a_deployment_that_notifies_nobody_is_named_with_what_to_do(
    subscriptions: dict[str, str] | None, said: str
) -> None:
    finding = alarms_finding(deployment(subscriptions))
    assert said in finding.problem
    assert finding.optional, "crawls work without"


def test_who_is_notified_is_named() -> None:
    finding = alarms_finding(deployment({"b@example.com": CONFIRMED, "a@example.com": "PendingConfirmation"}))
    assert (finding.problem, finding.detail) == ("", "sent to b@example.com")


def test_a_stack_of_an_older_version_has_no_topic_to_look_at() -> None:
    finding = alarms_finding(deployment({}, outputs={}))
    assert "has no output AlarmTopicArn" in finding.problem
    assert finding.optional
