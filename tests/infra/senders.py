"""The senders of messages in the template, and whether its policies let them send.

A service needs an Allow in the policy of the queue or topic. A role of the same account needs one in its own policies
(https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tests.support.synthesis import Assembly

ACCOUNT = "123456789012"
_PSEUDO = {"AWS::AccountId": ACCOUNT, "AWS::Region": "eu-west-1", "AWS::Partition": "aws"}
_ALARMS = f"arn:aws:cloudwatch:eu-west-1:{ACCOUNT}:alarm:"
_SENDS = {
    "AWS::SQS::Queue": "sqs:SendMessage",
    "AWS::SNS::Topic": "sns:Publish",
    "AWS::Events::EventBus": "events:PutEvents",
}
_POLICIES = {"AWS::SQS::QueuePolicy": "Queues", "AWS::SNS::TopicPolicy": "Topics"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A service or a role that sends to a queue, a topic or a bus."""

    to: str  # logical id
    service: str = ""  # principal such as events.amazonaws.com; "" = a role sends
    source: str = ""  # ARN or logical id of the resource for which the service sends
    role: str = ""  # logical id


class Senders:
    """The senders of a template."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._resources = assembly.template["Resources"]

    def found(self) -> set[Sending]:
        """Return all senders with their destinations. Functions as destinations are not included."""
        kinds = (self._alarms, self._budgets, self._rules, self._buckets, self._subscriptions, self._functions)
        found = {sending for kind in kinds for sending in kind()} | set(self._schedules())
        return {sending for sending in found if self._type(sending.to) in _SENDS}

    def may_send(self, sending: Sending) -> bool:
        """Return whether the policies allow a sender to send."""
        statements = self._of_role(sending.role) if sending.role else self._of_destination(sending.to)
        action = _SENDS[self._type(sending.to)]
        fitting = [one for one in statements if self._fits(one, sending, action)]
        return bool(fitting) and all(one["Effect"] == "Allow" for one in fitting)

    def _fits(self, statement: dict[str, Any], sending: Sending, action: str) -> bool:
        principal = statement.get("Principal", {})
        services = [principal] if isinstance(principal, str) else _listed(principal.get("Service", []))
        return (
            any(fnmatchcase(action.lower(), one.lower()) for one in _listed(statement["Action"]))
            and any(fnmatchcase(sending.to, text(one)) for one in _listed(statement["Resource"]))
            and (bool(sending.role) or sending.service in services or "*" in services)
            and all(
                _holds(key, wanted, sending)
                for test in statement.get("Condition", {}).values()
                for key, wanted in test.items()
            )
        )

    def _of_destination(self, id_: str) -> Iterator[dict[str, Any]]:
        for kind, field in _POLICIES.items():
            for policy in self._assembly.of_kind(kind).values():
                if id_ in map(text, policy["Properties"][field]):
                    yield from policy["Properties"]["PolicyDocument"]["Statement"]

    def _of_role(self, id_: str) -> Iterator[dict[str, Any]]:
        for policy in self._assembly.of_kind("AWS::IAM::Policy").values():
            if id_ in map(text, policy["Properties"]["Roles"]):
                yield from policy["Properties"]["PolicyDocument"]["Statement"]

    def _alarms(self) -> Iterator[Sending]:
        for kind in ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"):
            for alarm in self._assembly.of_kind(kind).values():
                found = alarm["Properties"]
                for field in ("AlarmActions", "OKActions", "InsufficientDataActions"):
                    for to in map(text, found.get(field, [])):
                        yield Sending(
                            to=to, service="cloudwatch.amazonaws.com", source=_ALARMS + text(found["AlarmName"])
                        )

    def _budgets(self) -> Iterator[Sending]:
        for budget in self._assembly.of_kind("AWS::Budgets::Budget").values():
            found = budget["Properties"]
            source = f"arn:aws:budgets::{ACCOUNT}:budget/{text(found['Budget']['BudgetName'])}"
            for notification in found["NotificationsWithSubscribers"]:
                for subscriber in notification["Subscribers"]:
                    yield Sending(to=text(subscriber["Address"]), service="budgets.amazonaws.com", source=source)

    def _rules(self) -> Iterator[Sending]:
        for id_, rule in self._assembly.of_kind("AWS::Events::Rule").items():
            for target in rule["Properties"]["Targets"]:
                if role := text(target.get("RoleArn", "")):
                    yield Sending(to=text(target["Arn"]), role=role)
                else:
                    yield Sending(to=text(target["Arn"]), service="events.amazonaws.com", source=id_)
                if letters := target.get("DeadLetterConfig"):
                    yield Sending(to=text(letters["Arn"]), service="events.amazonaws.com", source=id_)

    def _buckets(self) -> Iterator[Sending]:
        for id_, bucket in self._assembly.of_kind("AWS::S3::Bucket").items():
            found = bucket["Properties"].get("NotificationConfiguration", {})
            for listed, field in (("QueueConfigurations", "Queue"), ("TopicConfigurations", "Topic")):
                for one in found.get(listed, []):
                    yield Sending(to=text(one[field]), service="s3.amazonaws.com", source=id_)

    def _subscriptions(self) -> Iterator[Sending]:
        for subscription in self._assembly.of_kind("AWS::SNS::Subscription").values():
            found = subscription["Properties"]
            for to in (found.get("Endpoint"), found.get("RedrivePolicy", {}).get("deadLetterTargetArn")):
                yield Sending(to=text(to or ""), service="sns.amazonaws.com", source=text(found["TopicArn"]))

    def _functions(self) -> Iterator[Sending]:
        """Lambda sends failed calls with the function's role."""
        functions = self._assembly.of_kind("AWS::Lambda::Function")
        for function in functions.values():
            if letters := function["Properties"].get("DeadLetterConfig"):
                yield Sending(to=text(letters["TargetArn"]), role=text(function["Properties"]["Role"]))
        for kind in ("AWS::Lambda::EventInvokeConfig", "AWS::Lambda::EventSourceMapping"):
            for config in self._assembly.of_kind(kind).values():
                function = functions[text(config["Properties"]["FunctionName"])]
                for destination in config["Properties"].get("DestinationConfig", {}).values():
                    yield Sending(to=text(destination["Destination"]), role=text(function["Properties"]["Role"]))

    def _schedules(self) -> Iterator[Sending]:
        """Schedules, those of the template and those that functions create, send with the role they are given."""
        for schedule in self._assembly.of_kind("AWS::Scheduler::Schedule").values():
            target = schedule["Properties"]["Target"]
            for to in (target["Arn"], target.get("DeadLetterConfig", {}).get("Arn", "")):
                yield Sending(to=text(to), role=text(target["RoleArn"]))
        for function in self._assembly.of_kind("AWS::Lambda::Function").values():
            variables = function["Properties"]["Environment"]["Variables"]
            if letters := variables.get("WAVECRAWL_SCHEDULE_DEAD_LETTERS_ARN"):
                yield Sending(to=text(letters), role=text(variables["WAVECRAWL_SCHEDULE_ROLE_ARN"]))

    def _type(self, id_: str) -> str:
        return str(self._resources.get(id_, {}).get("Type", ""))


def text(value: Any) -> str:
    """Return a template value as text; a reference to a resource is its logical id."""
    if isinstance(value, str):
        return value
    (function, given), *_ = value.items()
    if function == "Ref":
        return str(_PSEUDO.get(given, given))
    if function == "Fn::GetAtt":
        return str(given[0])
    if function == "Fn::Join":
        return str(given[0]).join(map(text, given[1]))
    return re.sub(r"\$\{([^}]+)\}", lambda found: _PSEUDO.get(found[1], found[1]), given)  # Fn::Sub


def _holds(key: str, wanted: Any, sending: Sending) -> bool:
    """Return whether a condition holds. Services use TLS, and name the account and the resource."""
    given = {"aws:SecureTransport": "true", "aws:SourceAccount": ACCOUNT, "aws:SourceArn": sending.source}
    return any(fnmatchcase(given.get(key, ""), text(one)) for one in _listed(wanted))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
