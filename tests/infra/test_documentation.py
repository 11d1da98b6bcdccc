"""Facts about the stack in the documentation match the template."""

from tests.support.synthesis import ROOT, Assembly, synthesized

OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def alarms(assembly: Assembly) -> list[str]:
    found = assembly.of_kind("AWS::CloudWatch::Alarm").values()
    return [alarm["Properties"]["AlarmName"].removeprefix("wavecrawl-") for alarm in found]


def test_every_alarm_is_explained(assembly: Assembly, everything: Assembly) -> None:
    section = OPERATIONS.partition("\n## Alarms\n")[2].partition("\n## ")[0]
    few = alarms(assembly)
    assert few
    assert [name for name in few if f"\n#### {name}\n" not in section] == []  # the anchor that their messages name
    functions = {name.replace("_", "-") for name in _functions()}
    kinds = ("-throttles", "-errors")
    others = [
        name
        for name in alarms(everything)
        if name not in few and not any(name.removesuffix(kind) in functions for kind in kinds)
    ]
    assert others
    assert [name for name in others if f"| `{name}`" not in section and f", `{name}`" not in section] == []
    assert all(f"`<function>{kind}`" in section for kind in kinds)
    assert "\n### All other alarms\n" in section


def test_every_function_stands_in_the_table_with_its_memory_and_time() -> None:
    functions = _functions()
    assert functions
    for name, function in functions.items():
        row = next(line for line in ARCHITECTURE.splitlines() if line.startswith(f"| `{name}` |"))
        memory, timeout = function["Properties"]["MemorySize"], function["Properties"]["Timeout"]
        assert row.endswith(f"| {memory:,}, {timeout} |")


def test_every_output_is_named(everything: Assembly) -> None:
    assert [name for name in everything.template["Outputs"] if f"`{name}`" not in OPERATIONS] == []


def _functions() -> dict[str, dict[str, dict[str, int]]]:
    found = synthesized().of_kind("AWS::Lambda::Function").values()
    return {one["Properties"]["FunctionName"].removeprefix("wavecrawl-").replace("-", "_"): one for one in found}
