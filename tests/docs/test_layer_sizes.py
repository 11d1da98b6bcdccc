"""The table of what fills the layers of each function is that of the built layers."""

import re

import pytest
from infra.config import Config
from infra.constructs.functions import Shape, shapes
from layers.build import LARGEST, ROOT, build_layers
from layers.byte_code import lambda_compiler
from tests.support.session import locked

MB = 1024 * 1024
TOLERANCE = 2.5  # MB: the package contains the files of the dashboard only if they were built

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sizes() -> dict[str, float]:
    """The size of each layer for Lambda, in MB."""
    if lambda_compiler() is None:
        pytest.skip("without Python 3.13, which uv cannot fetch, the layers have no byte code and are smaller")
    with locked("layers"):
        return {name: layer.size / MB for name, layer in build_layers("lambda", fonts=True).items()}


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """The row of each function: what is in its layers, how much it is, and how much is free."""
    section = ARCHITECTURE.partition("#### What fills the 250 MB")[2].partition("\n#")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {name: row[1:] for row in cells for name in re.findall(r"`(\w+)`", row[0])}


@pytest.mark.parametrize(("name", "shape"), shapes(Config(fonts=True)).items())
def test_the_room_of_each_function_is_documented(
    name: str, shape: Shape, sizes: dict[str, float], rows: dict[str, list[str]]
) -> None:
    parts = [sizes[layer] for layer in shape.layers]
    assert sum(parts) <= LARGEST / MB
    described, total, free = rows[name]
    named = [float(number) for number in re.findall(r"(\d+)(?:,|$)", described)]
    assert named == pytest.approx(parts, abs=TOLERANCE)
    assert float(total) == pytest.approx(sum(parts), abs=TOLERANCE)
    assert float(total) + float(free) == LARGEST / MB


def test_the_table_has_no_other_functions(rows: dict[str, list[str]]) -> None:
    assert set(rows) == set(shapes(Config()))
