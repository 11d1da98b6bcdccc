"""The permissions of each role of the synthesized template."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.synthesis import Assembly

Rights = dict[str, set[str]]
"""Allowed actions by resource: a construct's name, or Bucket/ and a pattern for objects."""


def role_of(assembly: Assembly, function: str) -> str:
    """Return the logical id of a function's role."""
    functions = assembly.of_kind("AWS::Lambda::Function").values()
    found = next(one for one in functions if one["Properties"]["FunctionName"] == function)
    return str(found["Properties"]["Role"]["Fn::GetAtt"][0])


def rights_of(assembly: Assembly, role: str) -> Rights:
    """Return the actions that the template's policies allow a role."""
    rights: Rights = {}
    for policy in assembly.of_kind("AWS::IAM::Policy").values():
        if {"Ref": role} in policy["Properties"]["Roles"]:
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
                assert statement["Effect"] == "Allow"
                for resource in _listed(statement["Resource"]):
                    rights.setdefault(_name(resource), set()).update(_listed(statement["Action"]))
    return rights


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _name(resource: Any) -> str:
    """Return the construct name of a policy's resource: the part of the logical id before its hash."""
    if isinstance(resource, str):
        return resource
    if "Fn::Join" in resource:
        parts = [part if isinstance(part, str) else _name(part) for part in resource["Fn::Join"][1]]
        text = "".join(parts)
        if text.endswith(":stateMachine:wavecrawl"):
            return "StateMachine"
        named = re.search(
            r":(schedule/.*|task(?:-definition)?/.*|secret:.*/sites/\*|secret:.*/webhook-key-\?+|function:.*|catalog|(?:database|table)/.*)$",
            text,
        )
        return named[1] if named else text
    return _construct(resource)


def _construct(resource: Mapping[str, Any]) -> str:
    logical_id = resource["Ref"] if "Ref" in resource else resource["Fn::GetAtt"][0]
    bare = re.sub(r"[0-9A-F]{8}$", "", logical_id)
    return re.sub(r"^(Storage|Queues|Secrets|Events|Functions)(?=[A-Z])", "", bare)
