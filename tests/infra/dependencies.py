"""Which resources a template names, and which of them exist by then.

CloudFormation orders resources by Ref, GetAtt, Sub and DependsOn, and by nothing else: a resource that names another by
a key of its own, such as a route by "POST /webhooks/crawl", may be created first.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-dependson.html
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from tests.infra.reading import fixed_names
from tests.infra.senders import text

KEYS = {
    "AWS::ApiGatewayV2::Route": "RouteKey",
    "AWS::ECS::TaskDefinition": "Family",
    "AWS::Glue::Crawler": "Name",
    "AWS::KMS::Alias": "AliasName",
    "AWS::Logs::MetricFilter": "FilterName",
}
"""Properties with a key of the resource that are not named like its type."""

SECTIONS = {
    "AWS::CloudWatch::Alarm": "alarm",
    "AWS::DynamoDB::Table": "table",
    "AWS::ECS::Cluster": "cluster",
    "AWS::ECS::TaskDefinition": "task-definition",
    "AWS::Events::EventBus": "event-bus",
    "AWS::Glue::Database": "database",
    "AWS::Lambda::Function": "function",
    "AWS::Logs::LogGroup": "log-group",
    "AWS::Scheduler::ScheduleGroup": "schedule-group",
    "AWS::StepFunctions::StateMachine": "stateMachine",
}
"""The part before the name in an ARN: https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html."""

NOT_CHECKED = {
    ("AWS::CloudWatch::Alarm", "Dimensions"): "A metric exists from its first value on; an alarm may wait for it.",
    ("AWS::ECS::TaskDefinition", "ContainerDefinitions"): "The task reads its environment when it runs.",
    ("AWS::IAM::Policy", "PolicyDocument"): "IAM accepts ARNs of resources that do not exist.",
    ("AWS::IAM::Role", "AssumeRolePolicyDocument"): "The ARN is a condition, which is compared at each use.",
    ("AWS::Lambda::Function", "Environment"): "The function reads it when it runs; the state machine calls functions.",
    ("AWS::Events::Rule", "EventPattern"): "A pattern is compared with events.",
    ("AWS::SNS::TopicPolicy", "PolicyDocument"): "The ARN is a condition, which is compared at each use.",
    ("AWS::SQS::QueuePolicy", "PolicyDocument"): "The ARN is a condition, which is compared at each use.",
}
"""Properties that may name a resource before it exists, each with the reason. The state machine and its functions name
each other, so that one of the two has to come first."""

_PROSE = {"AlarmDescription", "Description", "DashboardBody", "DisplayName", "Tags"}
"""Properties for people. A dashboard may show metrics that do not exist."""

_WORDS = {"AWS::Glue::Table"}
"""Types whose names are usual words, such as pages."""

_ROLES = {"Role", "RoleArn", "ExecutionRoleArn", "TaskRoleArn", "DeliverLogsPermissionArn"}

_CHECKS_POLICIES = {"AWS::Budgets::Budget", "AWS::S3::Bucket"}
"""Types that AWS refuses if the policy of the topic or queue that they name does not let them send."""

Resources = Mapping[str, Mapping[str, Any]]


def missing_dependencies(template: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the logical ids of each resource that may be created before one that it needs, and of the latter."""
    resources: Resources = template["Resources"]
    keys = [
        (id_, one["Type"], key) for id_, one in resources.items() if one["Type"] not in _WORDS for key in _keys(one)
    ]
    needs = {id_: {*_named(id_, found, keys), *_permissions(found, resources)} for id_, found in resources.items()}
    known: dict[str, AbstractSet[str]] = {}
    return [
        (id_, other)
        for id_, others in needs.items()
        for other in sorted(others - {id_} - _after(id_, resources, known))
    ]


def _named(id_: str, found: Mapping[str, Any], keys: list[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the resources that one names by their keys."""
    count = Counter(key for _, _, key in keys)
    texts = [
        (path, value)
        for name, content in found.get("Properties", {}).items()
        if (found["Type"], name) not in NOT_CHECKED
        for path, value in _texts(content, (name,))
        if not _PROSE & set(path) and not _own(found, path)
    ]
    for other, kind, key in keys:
        if other != id_ and any(
            key in value and _names(value, path, key, kind, user=found["Type"], shared=count[key] > 1)
            for path, value in texts
        ):
            yield other


def _names(value: str, path: tuple[str, ...], key: str, kind: str, *, user: str, shared: bool) -> bool:
    """Return whether a text in a resource of type `user` names the resource of type `kind` with this key.

    Several resources have the name of the stack. One of them is meant in an ARN of its type, and in a property that is
    named like its type, such as DatabaseName, or GroupName of a schedule.
    """
    section = SECTIONS.get(kind)
    if section and re.search(rf"[:/]{section}[:/]{re.escape(key)}(?![\w-])", value):
        return True
    if shared:
        type_, field = kind.rsplit("::", 1)[1].lower(), path[-1].lower().removesuffix("name")
        same_service = kind.split("::")[1] == user.split("::")[1]
        return value == key and (field == type_ or (same_service and bool(field) and field in type_))
    if " " in key:  # the key of a route, which texts for people mention, too
        return value == key
    return re.search(rf"(?<![\w./-]){re.escape(key)}(?![\w-])", value) is not None


def _own(resource: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """Return whether a property holds the resource's own name."""
    kind = resource["Type"].rsplit("::", 1)[1]
    return path[-1] in {"Name", f"{kind}Name", KEYS.get(resource["Type"], "Name")}


def _keys(resource: Mapping[str, Any]) -> list[str]:
    given = resource.get("Properties", {}).get(KEYS.get(resource["Type"], ""))
    return [text(key) for key in (*fixed_names(resource), *([given] if given else []))]


def _permissions(found: Mapping[str, Any], resources: Resources) -> Iterator[str]:
    """Yield the policies without which AWS refuses a resource: of its role, and of what it sends to."""
    if found["Type"] in {"AWS::IAM::Policy", "AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy"}:
        return
    roles = {text(value) for name, value in found.get("Properties", {}).items() if name in _ROLES}
    for other, one in resources.items():
        properties = one.get("Properties", {})
        if one["Type"] == "AWS::IAM::Policy" and roles & set(map(text, properties["Roles"])):
            yield other
        if one["Type"] in {"AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy"} and found["Type"] in _CHECKS_POLICIES:
            listed = properties.get("Topics", properties.get("Queues", []))
            if set(map(text, listed)) & set(_references(found["Properties"])):
                yield other


def _after(id_: str, resources: Resources, known: dict[str, AbstractSet[str]]) -> AbstractSet[str]:
    """Return the logical ids of all resources that exist when one is created. A circle is no order."""
    if id_ not in known:
        known[id_] = frozenset()
        found = resources[id_]
        listed = found.get("DependsOn", [])
        direct = {listed} if isinstance(listed, str) else set(listed)
        direct |= {other for other in _references(found.get("Properties", {})) if other in resources}
        known[id_] = direct.union(*(_after(other, resources, known) for other in direct))
    return known[id_]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "Ref" in value:
            yield value["Ref"]
        elif "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0] if isinstance(value["Fn::GetAtt"], list) else value["Fn::GetAtt"].split(".")[0]
        elif "Fn::Sub" in value:
            template = value["Fn::Sub"] if isinstance(value["Fn::Sub"], str) else value["Fn::Sub"][0]
            yield from (one.split(".")[0] for one in re.findall(r"\$\{([^}!]+)\}", template))
        for one in value.values():
            yield from _references(one)
    elif isinstance(value, list):
        for one in value:
            yield from _references(one)


def _texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield all texts with their path. The keys of a mapping may name resources as well."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, path)
    elif isinstance(value, Mapping):
        if "Fn::Join" in value:
            yield path, str(value["Fn::Join"][0]).join(map(_literal, value["Fn::Join"][1]))
        elif "Fn::Sub" in value:
            yield path, value["Fn::Sub"] if isinstance(value["Fn::Sub"], str) else value["Fn::Sub"][0]
        elif not {"Ref", "Fn::GetAtt"} & set(value):
            for name, one in value.items():
                yield (*path, name), name
                yield from _texts(one, (*path, name))


def _literal(value: Any) -> str:
    """Return a text as it stands in the template. A reference to a resource is a dependency already."""
    return value if isinstance(value, str) else "\0"
