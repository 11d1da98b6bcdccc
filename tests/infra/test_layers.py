"""Layers: complete, small and reproducible."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Literal

import pytest
from layers.browser_files import PACKAGE, add_chromium
from layers.build import ROOT, Layer, LayerBuildError, build_layers, check_sizes, pinned
from layers.npm_packages import PackageError
from layers.stripping import AWS_SERVICES, strip, tree_hash
from packaging.requirements import Requirement
from tests.support.synthesis import native_layers

ARM64_PYTHON = "WAVECRAWL_ARM64_PYTHON"
"""The variable with the command of python3.13 for arm64, on machines with another processor."""

RUNTIME_BRINGS = {"boto3", "botocore", "s3transfer", "python-dateutil", "six"}
"""In versions that AWS changes: https://docs.aws.amazon.com/lambda/latest/dg/lambda-python.html."""


@pytest.fixture(scope="module")
def layers() -> dict[str, Layer]:
    return native_layers()


def test_building_again_gives_what_was_built(layers: dict[str, Layer]) -> None:
    assert build_layers("native")["dependencies"] == layers["dependencies"]


def test_a_build_holds_nothing_that_varies_from_one_installation_to_the_next(layers: dict[str, Layer]) -> None:
    assert layers
    for layer in layers.values():
        names = {path.name for path in layer.folder.rglob("*")}
        assert not names & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def test_layers_leave_out_what_no_function_reads(layers: dict[str, Layer]) -> None:
    assert layers
    for layer in layers.values():
        paths = list(layer.folder.rglob("*"))
        assert not [path for path in paths if path.suffix in {".pyi", ".pyx", ".c", ".h"}]
        assert not [path for path in paths if path.is_dir() and path.name in {"tests", "test"}]


def test_everything_a_layer_needs_is_in_it(layers: dict[str, Layer]) -> None:
    names = ("dependencies", "analytics", "render_dependencies", "media", "encryption")
    found = [one for name in names for one in _installed(layers[name])]
    there = {_normal(one.metadata["Name"]) for one in found}
    assert {need for one in found for need in _needs(one)} <= there


@pytest.mark.parametrize("name", ["dependencies", "render_dependencies"])
def test_what_the_runtime_brings_in_any_version_is_pinned(layers: dict[str, Layer], name: str) -> None:
    versions = {_normal(one.metadata["Name"]): one.version for one in _installed(layers[name])}
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    assert {one: versions.get(one) for one in RUNTIME_BRINGS} == {one: pins[one] for one in RUNTIME_BRINGS}


def test_every_aws_client_can_be_made_from_the_layers_alone(layers: dict[str, Layer]) -> None:
    """Without the models of the other services, which have 25 MB."""
    code = """
import boto3, botocore, s3transfer
from functools import cached_property
from wavecrawl.adapters.aws.clients import AwsClients
clients = AwsClients()
names = [name for name, value in vars(AwsClients).items() if isinstance(value, cached_property)]
print(*sorted(getattr(clients, name).meta.service_model.service_name for name in names))
boto3.client("sts"), boto3.resource("dynamodb")
print(botocore.__file__, boto3.__file__, s3transfer.__file__)
"""
    paths = [str(layers[name].folder / "python") for name in ("wavecrawl", "dependencies")]
    code = f"import sys; sys.path[:0] = {paths!r}\n{code}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"AWS_DEFAULT_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true"},
    )
    assert done.returncode == 0, done.stderr
    services, places = done.stdout.splitlines()
    assert set(services.split()) == AWS_SERVICES - {"sts"}
    assert all(place.startswith(str(ROOT / "build" / "layers")) for place in places.split())


def test_every_third_party_library_of_the_package_is_in_a_layer(layers: dict[str, Layer]) -> None:
    """Except those of the command line and of `wavecrawl serve`, which no function imports."""
    project = next(one for one in distributions() if one.metadata["Name"] == "wavecrawl")
    wanted = {_normal(Requirement(line).name) for line in project.requires or () if "extra" not in line}
    there = {
        _normal(one.metadata["Name"]) for name in ("dependencies", "analytics") for one in _installed(layers[name])
    }
    assert wanted - there == {"rich", "typer", "xlsxwriter"}


def test_the_package_s_layer_has_neither_command_line_nor_demo_site(layers: dict[str, Layer]) -> None:
    there = {path.name for path in (layers["wavecrawl"].folder / "python" / "wavecrawl").iterdir()}
    assert {"cloud", "api", "application"} <= there
    assert not there & {"cli", "demo"}


def test_functions_start_with_nothing_but_their_layers(layers: dict[str, Layer]) -> None:
    code = (
        "import ada_url, boto3, brotli, bs4, isal.igzip, jwt, lxml.html, msgspec, protego, requests, selectolax.lexbor,"
        " standardwebhooks, tinycss2, webencodings, xxhash, zstandard, aws_lambda_powertools;"
        " import wavecrawl, duckdb; print(wavecrawl.__file__, duckdb.__file__, lxml.html.__file__)"
    )
    paths = [str(layers[name].folder / "python") for name in ("wavecrawl", "dependencies", "analytics")]
    code = f"import sys; sys.path[:0] = {paths!r}; {code}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(place.startswith(str(ROOT / "build" / "layers")) for place in done.stdout.split())


def test_what_is_built_for_lambda_runs_there_and_nowhere_else() -> None:
    """Every shared library is for the functions' processor (e_machine, elf(5)) and for Python 3.13 or any version."""
    built = build_layers("lambda")
    arm64, x86_64 = {183}, {62}
    machines = {"dependencies": arm64, "analytics": arm64, "media": arm64, "encryption": arm64}
    machines |= {"render_dependencies": x86_64, "chromium": x86_64}
    found = {name: [*built[name].folder.rglob("*.so"), *built[name].folder.rglob("*.so.*")] for name in machines}
    assert {name: {_machine(path) for path in libraries} for name, libraries in found.items()} == machines
    libraries = [path for some in found.values() for path in some]
    assert not [path.name for path in libraries if re.search(r"cpython-(?!313)", path.name)]


def _machine(library: Path) -> int:
    return int.from_bytes(library.read_bytes()[18:20], "little")


def test_without_rendering_and_media_there_are_no_layers_for_them() -> None:
    built = build_layers("native", render=False, media=False)
    assert built.keys() == {"wavecrawl", "dependencies", "analytics", "encryption"}


def test_an_archive_of_chromium_with_another_hash_is_refused_and_removed(tmp_path: Path) -> None:
    wanted = json.loads(PACKAGE.read_text(encoding="utf-8"))
    archive = tmp_path / f"sparticuz-chromium-{wanted['version']}.tgz"
    archive.write_bytes(b"another")
    with pytest.raises(PackageError, match="has the hash sha512-"):
        add_chromium(tmp_path / "layer", tmp_path)
    assert not archive.exists()


def _interpreters() -> Iterator[Any]:
    """Yield the target of the layers and the command of an interpreter for it: this machine, and arm64 if possible.

    The processor may be emulated, as by `qemu-aarch64 -L ROOT ROOT/usr/bin/python3.13`.
    """
    yield pytest.param("native", [sys.executable], id="native")
    arm64 = shlex.split(os.environ.get(ARM64_PYTHON, ""))
    if not arm64 and os.uname().machine == "aarch64" and (found := shutil.which("python3.13")):
        arm64 = [found]
    if arm64:
        yield pytest.param("lambda", arm64, id="lambda")


@pytest.mark.parametrize(("target", "python"), [*_interpreters()])
def test_every_native_module_can_be_imported(target: Literal["native", "lambda"], python: list[str]) -> None:
    assert _import_native_modules(python, build_layers(target)) > 20


def test_layers_that_lambda_would_not_take_are_refused() -> None:
    large = [Layer(name=name, folder=ROOT, size=130 * 1024 * 1024) for name in ("one", "two")]
    with pytest.raises(LayerBuildError, match=r"one +130\.0 MB\ntwo +130\.0 MB\ntotal +260\.0 MB"):
        check_sizes(large)


def test_requirements_get_the_versions_that_everything_else_has() -> None:
    assert pinned("Foo_Bar  # why\n\n# no requirement\nbaz", "baz==2\nfoo.bar==1.0\nother==3") == [
        "baz==2",
        "foo-bar==1.0",
    ]


def test_a_requirement_without_a_version_is_refused() -> None:
    with pytest.raises(LayerBuildError, match=r"constraints\.txt has no version of nowhere"):
        pinned("nowhere", "baz==2")


def test_the_hash_of_a_folder_knows_names_and_bytes_but_no_byte_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    before = tree_hash(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")
    assert tree_hash(tmp_path) == before
    (tmp_path / "a.py").write_text("2")
    assert tree_hash(tmp_path) != before


def test_stripping_keeps_code_data_and_licences(tmp_path: Path) -> None:
    for name in ("a/code.py", "a/data.json", "a/lib.so", "a/tests/t.py", "a/x.pyi", "a-1.dist-info/LICENSE.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    strip(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"a/code.py", "a/data.json", "a/lib.so", "a-1.dist-info/LICENSE.md"}


def _import_native_modules(python: list[str], layers: dict[str, Layer]) -> int:
    """Import every native module of the layers for arm64 with an interpreter. Return how many there are."""
    folders = [layers[name].folder / "python" for name in ("wavecrawl", "dependencies", "analytics")]
    files = [(folder, path) for folder in folders for path in folder.rglob("*.so")]
    modules = [
        ".".join(path.relative_to(folder).with_name(path.name.partition(".")[0]).parts)
        for folder, path in files
        if b"PyInit_" in path.read_bytes()  # others are libraries that modules load
    ]
    boto3 = str(Path(pytest.__file__).resolve().parents[1])  # of the Lambda runtime; pure Python
    code = (
        f"import sys, importlib; sys.path[:0] = {[str(folder) for folder in folders]!r}; sys.path.append({boto3!r})\n"
        f"for name in {sorted(modules)!r}: importlib.import_module(name)"
    )
    done = subprocess.run([*python, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return len(modules)


def _installed(layer: Layer) -> list[Distribution]:
    return list(distributions(path=[str(layer.folder / "python")]))


def _needs(one: Distribution) -> set[str]:
    parsed = map(Requirement, one.requires or ())
    return {_normal(need.name) for need in parsed if need.marker is None or need.marker.evaluate({"extra": ""})}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
