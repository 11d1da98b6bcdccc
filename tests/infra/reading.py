"""Lookups in the template."""

from typing import Any

from tests.support.synthesis import Assembly


def properties(assembly: Assembly, kind: str) -> list[dict[str, Any]]:
    """Return the properties of all resources of a type such as AWS::SQS::Queue."""
    return [found["Properties"] for found in assembly.of_kind(kind).values()]


def only(assembly: Assembly, kind: str) -> dict[str, Any]:
    """Return the properties of the only resource of a type."""
    (found,) = properties(assembly, kind)
    return found


def function_of(assembly: Assembly, name: str) -> dict[str, Any]:
    """Return the properties of a function, such as fetch-batch."""
    functions = properties(assembly, "AWS::Lambda::Function")
    return next(function for function in functions if function["FunctionName"] == f"wavecrawl-{name}")
