"""Facts about the stack in the documentation match the template."""

from tests.infra.reading import shown_metrics
from tests.support.synthesis import ROOT, synthesized

OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COSTS = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")


def alarms() -> list[str]:
    found = synthesized().of_kind("AWS::CloudWatch::Alarm").values()
    return [alarm["Properties"]["AlarmName"].removeprefix("wavecrawl-") for alarm in found]


def test_every_alarm_is_explained() -> None:
    functions = {name.replace("_", "-") for name in _functions()}
    kinds = ("-throttles", "-errors")
    names = [name for name in alarms() if not any(name.removesuffix(kind) in functions for kind in kinds)]
    section = OPERATIONS.partition("## Alarms")[2].partition("\n## ")[0]
    assert [name for name in names if f"`{name}`" not in section] == []
    assert all(f"`<function>{kind}`" in section for kind in kinds)


def test_the_idle_cost_is_that_of_the_template() -> None:
    """Five pollers of each mapping poll for 20 s: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html."""
    table = COSTS.partition("## When nothing runs")[2].partition("\n## ")[0]
    alarm, dashboard, secret, request = 0.10, 3.00, 0.40, 0.40 / 1_000_000
    polls = len(synthesized().of_kind("AWS::Lambda::EventSourceMapping")) * 5 * 3 * 60 * 24 * 30
    dollars = {
        f"{len(alarms())} alarms": len(alarms()) * alarm,
        f"dashboard with {len(shown_metrics(synthesized()))} metrics": dashboard,
        "secret": secret,
        f"polling of six empty queues, {polls:,} requests": polls * request,
    }
    for what, amount in dollars.items():
        assert f"| {what} | [{amount:.2f}](" in table
    together = sum(dollars.values())
    few = 10 * alarm
    assert f"| together | {together:.2f} |" in table
    assert f"| `-c alarms=few` | {together - len(alarms()) * alarm + few:.2f} |" in table
    assert f"| `-c dashboard=false` | {together - dashboard:.2f} |" in table
    least = together - dashboard - len(alarms()) * alarm
    assert f"| `-c alarms=few -c dashboard=false` | {least + few:.2f} |" in table
    assert f"| `-c alarms=none -c dashboard=false` | **{least:.2f}** |" in table


def test_every_function_stands_in_the_table_with_its_memory_and_time() -> None:
    functions = _functions()
    assert functions
    for name, function in functions.items():
        row = next(line for line in ARCHITECTURE.splitlines() if line.startswith(f"| `{name}` |"))
        memory, timeout = function["Properties"]["MemorySize"], function["Properties"]["Timeout"]
        assert row.endswith(f"| {memory:,}, {timeout} |")


def test_every_output_is_named() -> None:
    assert [name for name in synthesized().template["Outputs"] if f"`{name}`" not in OPERATIONS] == []


def _functions() -> dict[str, dict[str, dict[str, int]]]:
    found = synthesized().of_kind("AWS::Lambda::Function").values()
    return {one["Properties"]["FunctionName"].removeprefix("wavecrawl-").replace("-", "_"): one for one in found}
