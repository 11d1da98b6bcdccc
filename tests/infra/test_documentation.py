"""Facts about the stack in the documentation match the template."""

from tests.support.synthesis import ROOT, synthesized

OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COSTS = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")


def alarms() -> list[str]:
    found = synthesized().of_kind("AWS::CloudWatch::Alarm").values()
    return [alarm["Properties"]["AlarmName"].removeprefix("wavecrawl-") for alarm in found]


def test_every_alarm_is_explained() -> None:
    functions = {name.replace("_", "-") for name in _functions()}
    names = [name for name in alarms() if name.removesuffix("-throttles") not in functions]
    section = OPERATIONS.partition("## Alarms")[2].partition("\n## ")[0]
    assert [name for name in names if f"`{name}`" not in section] == []
    assert "`<function>-throttles`" in section


def test_the_price_of_the_alarms_counts_all_of_them() -> None:
    dollars = len(alarms()) * 0.10
    assert f"| {len(alarms())} alarms | [{dollars:.2f}](" in COSTS


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
