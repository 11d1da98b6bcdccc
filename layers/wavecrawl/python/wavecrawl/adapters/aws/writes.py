"""Conditional writes of single rows, alone or as steps of a transaction."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from wavecrawl.adapters.aws.attributes import Item, Row, to_item
from wavecrawl.adapters.aws.names import Key

NEW = "attribute_not_exists(#pk)"
"""The condition that a row does not exist."""

EXISTS = "attribute_exists(#pk)"
"""The condition that a row exists."""

_NAME = re.compile(r"#(\w+)")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a conditional write."""

    made: bool  # whether the condition held
    row: Row  # after an update; if the condition failed, the row that exists ({} = none)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """An update of one row. It creates the row if there is none, unless the condition prevents that.

    The condition has attribute names as #name; :name is one of `values`, or the new value of that attribute.
    """

    key: Key
    set: Row = msgspec.field(default_factory=dict)
    add: Row = msgspec.field(default_factory=dict)  # numbers and sets to add; a missing attribute counts as 0 or empty
    # Sets of texts to take out of sets; a missing set counts as empty.
    delete: Row = msgspec.field(default_factory=dict)
    remove: Sequence[str] = ()
    condition: str = ""
    values: Row = msgspec.field(default_factory=dict)

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of UpdateItem, alone or in a transaction."""
        clauses = {
            "SET": [f"#{name} = :{name}" for name in self.set],
            "ADD": [f"#{name} :{name}" for name in self.add],
            "DELETE": [f"#{name} :{name}" for name in self.delete],
            "REMOVE": [f"#{name}" for name in self.remove],
        }
        update = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)
        values = {**self.set, **self.add, **self.delete, **self.values}
        request: dict[str, Any] = {"TableName": table, "Key": key_item(self.key), "UpdateExpression": update}
        return request | _conditions(self.condition, values, update)


class NewRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row to store, replacing the one that exists, if the condition holds."""

    key: Key
    row: Row
    condition: str = ""
    values: Row = msgspec.field(default_factory=dict)

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of PutItem, alone or in a transaction."""
        request: dict[str, Any] = {"TableName": table, "Item": key_item(self.key) | to_item(self.row)}
        return request | _conditions(self.condition, self.values)


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """A row to delete if the condition holds."""

    key: Key
    condition: str = ""
    values: Row = msgspec.field(default_factory=dict)

    def request(self, table: str) -> dict[str, Any]:
        """Return the parameters of DeleteItem, alone or in a transaction."""
        request: dict[str, Any] = {"TableName": table, "Key": key_item(self.key)}
        return request | _conditions(self.condition, self.values)


def key_item(key: Key) -> Item:
    """Return a key in the form of requests."""
    return to_item({"pk": key[0], "sk": key[1]})


def placeholders(values: Row, *expressions: str) -> dict[str, Any]:
    """Return the names and values that expressions refer to. DynamoDB refuses empty mappings."""
    request: dict[str, Any] = {}
    names = _names(*expressions)
    if names:
        request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in to_item(values).items()}
    return request


def _conditions(condition: str, values: Row, *others: str) -> dict[str, Any]:
    request = placeholders(values, condition, *others)
    if condition:
        request |= {"ConditionExpression": condition, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    return request


@lru_cache(maxsize=64)
def _names(*expressions: str) -> Mapping[str, str]:
    """Return every #name of the expressions. Many plain words are reserved in DynamoDB."""
    return {f"#{name}": name for expression in expressions for name in _NAME.findall(expression)}
