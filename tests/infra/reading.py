"""Lookups in the template."""

import json
from collections.abc import Mapping
from typing import Any

from tests.infra.senders import text
from tests.support.synthesis import Assembly

DOMAIN = "crawler.example.com"
PINNED = "public.ecr.aws/lambda/python@sha256:" + "0" * 64
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000"


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


def shown_metrics(assembly: Assembly) -> list[list[Any]]:
    """Return the metrics of all graphs: namespace, name, dimensions, options."""
    body = json.loads(text(only(assembly, "AWS::CloudWatch::Dashboard")["DashboardBody"]))
    return [metric for widget in body["widgets"] for metric in widget["properties"].get("metrics", [])]


def fixed_names(resource: Mapping[str, Any]) -> list[Any]:
    """Return the name that the template gives a resource, such as its TableName. An empty list = it is generated."""
    kind = resource["Type"].rsplit("::", 1)[1]
    given = resource.get("Properties", {})
    nested = given.get(kind, given.get(f"{kind}Input", {}))  # such as the BudgetName of a Budget
    found = [given.get(f"{kind}Name"), given.get("Name")]
    found += [value for name, value in nested.items() if name.endswith("Name")] if isinstance(nested, Mapping) else []
    return [name for name in found if name is not None]
