"""Items of the table as plain values, and in the form of DynamoDB's requests and responses."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Row = Mapping[str, Any]
"""Attributes by name: str, bytes, bool, int, float, a set of str that is not empty, or attributes again."""

Item = dict[str, dict[str, Any]]
"""Attributes by name, each as {type: value}."""


def to_item(row: Row) -> Item:
    """Return a row in the form of requests. Floats keep every digit."""
    return {name: _attribute(value) for name, value in row.items()}


def from_item(item: Mapping[str, Mapping[str, Any]]) -> Row:
    """Return the row of a response."""
    return {name: _value(*attribute.items()) for name, attribute in item.items()}


def _attribute(value: object) -> dict[str, Any]:
    match value:
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": _digits(repr(value).removesuffix(".0"))}
        case str():
            return {"S": str(value)}
        case Mapping():
            return {"M": to_item(value)}
        case frozenset():
            return {"SS": sorted(value)}
        case _:
            return {"B": value}


def _digits(number: str) -> str:
    """Return a number without an exponent: not every reader of the table's numbers knows 6e-07."""
    return format(Decimal(number), "f") if "e" in number else number


def _value(attribute: tuple[str, Any]) -> Any:
    kind, value = attribute
    if kind == "N":
        return int(value) if value.lstrip("-").isdigit() else float(value)
    if kind == "M":
        return from_item(value)
    if kind == "SS":
        return frozenset(value)
    return value
