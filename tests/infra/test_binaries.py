"""The programs and shared libraries of the layers find what they need in Lambda."""

import shutil
import sys
from pathlib import Path

import playwright
import pytest
from layers.build import FUNCTIONS_LAYERS, Layer, build_layers
from tests.support import binaries as checks
from tests.support import lambda_runtime
from tests.support.binaries import binaries, problems
from tests.support.session import locked


@pytest.fixture(scope="module")
def built() -> dict[str, Layer]:
    with locked("layers"):
        return build_layers("lambda", fonts=True)


@pytest.mark.parametrize("names", FUNCTIONS_LAYERS)
def test_each_binary_of_a_function_finds_its_libraries_and_symbols(
    names: tuple[str, ...], built: dict[str, Layer]
) -> None:
    assert list(problems([built[name].folder for name in names])) == []


def test_the_layers_are_checked_as_a_whole(built: dict[str, Layer]) -> None:
    checked = {name for names in FUNCTIONS_LAYERS for name in names}
    assert checked == set(built)
    found = {name: list(binaries(layer.folder)) for name, layer in built.items()}
    assert {name for name, some in found.items() if not some} == {"wavecrawl", "fonts"}
    assert {one.machine for some in found.values() for one in some} == {"aarch64", "x86_64"}
    compressed = {one.path.as_posix() for some in found.values() for one in some if one.path.suffix == ".zst"}
    assert compressed == {"chromium/chromium.zst", "python/playwright/driver/node.zst"}
    programs = [one for some in found.values() for one in some if one.path.suffix == ".zst"]
    assert all("libc.so.6" in one.needed and one.versions for one in programs)


def test_the_node_of_playwright_would_not_start_in_lambda() -> None:
    driver = Path(playwright.__file__).with_name("driver")
    if sys.platform != "linux":
        pytest.skip("the Node.js of Playwright is a program for Linux on Linux only")
    assert list(problems([driver])) == ["driver: node needs libatomic.so.1, which neither Lambda nor a layer has"]


def test_a_missing_library_and_newer_symbols_are_found(
    built: dict[str, Layer], monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = [built[name].folder for name in ("wavecrawl", "dependencies", "media", "encryption")]
    monkeypatch.setattr(checks, "LIBRARIES", {name: "" for name in lambda_runtime.LIBRARIES if name != "libz.so.1"})
    monkeypatch.setattr(checks, "NEWEST", {**lambda_runtime.NEWEST, "GLIBC": (2, 33)})
    found = "\n".join(problems(layers))
    assert "needs libz.so.1, which neither Lambda nor a layer has" in found
    assert "needs symbols of GLIBC_2.34" in found


def test_a_library_is_found_only_where_the_loader_looks(built: dict[str, Layer], tmp_path: Path) -> None:
    """Chromium's libraries are in /opt/lib, which LD_LIBRARY_PATH names. Elsewhere they would not be found."""
    shutil.copytree(built["chromium"].folder / "lib", tmp_path / "right" / "lib")
    shutil.copytree(built["chromium"].folder / "lib", tmp_path / "wrong" / "libraries")
    assert list(problems([tmp_path / "right"])) == []
    found = "\n".join(problems([tmp_path / "wrong"]))
    assert "libnss3.so needs libnssutil3.so, which neither Lambda nor a layer has" in found


def test_a_function_with_binaries_of_two_processors_is_found(built: dict[str, Layer]) -> None:
    names = ("media", "render_dependencies")
    assert "binaries of several processors" in "\n".join(problems([built[name].folder for name in names]))
