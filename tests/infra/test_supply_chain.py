"""The packages in the layers: hashes, licenses, known vulnerabilities, bill of materials."""

import json
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any, cast

import cyclonedx.schema
import jsonschema_rs
import layers.build
import pytest
from layers import advisories
from layers.browser_files import PACKAGE
from layers.build import CONSTRAINTS, HASHES, ROOT, LayerBuildError, build_layers, pinned
from layers.hashes import MissingHashError, with_hashes
from layers.packages import Package, license_of, packages, refused
from layers.sbom import bill
from tests.support.campaign import slow
from tests.support.synthesis import native_layers

REQUIREMENTS = sorted((ROOT / "layers").glob("*/requirements.txt"))


@pytest.fixture(name="found", scope="module")
def packages_of_the_native_layers() -> list[Package]:
    return packages(layer.folder / "python" for layer in native_layers().values())


def test_hashes_are_those_of_the_pinned_versions() -> None:
    required = "\n".join(path.read_text() for path in REQUIREMENTS)
    lines = with_hashes(pinned(required, CONSTRAINTS.read_text()), HASHES.read_text())
    assert len(lines) > 30
    assert all(" --hash=sha256:" in line for line in lines)


def test_a_pin_without_a_hash_says_what_to_run() -> None:
    with pytest.raises(MissingHashError, match=r"no hash of idna==9999.1; run `make hashes`"):
        with_hashes(["idna==9999.1"], HASHES.read_text())


def test_no_layer_is_built_from_a_file_with_another_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [f"{pin} --hash=sha256:{'0' * 64}" for pin in pinned("idna", CONSTRAINTS.read_text())]
    monkeypatch.setattr(layers.build, "BUILDS", tmp_path)
    monkeypatch.setattr(layers.build, "with_hashes", lambda _pins, _text: wrong)
    with pytest.raises(LayerBuildError, match="DO NOT MATCH THE HASHES"):
        build_layers("native")
    assert not list(tmp_path.glob("dependencies*"))


@slow
def test_the_licenses_of_all_packages_are_allowed(found: list[Package]) -> None:
    assert len(found) > 30
    assert refused(found) == []


@pytest.mark.parametrize(
    ("given", "allowed"),
    [("MIT", True), ("MIT AND PSF-2.0", True), ("MIT AND AGPL-3.0-only", False), ("GPL-3.0-only", False), ("", False)],
)
def test_an_unknown_license_is_refused(given: str, allowed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert bool(refused([Package(name="a", version="1", license=given)])) is not allowed


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((("License-Expression", "MIT"), ("License", "other")), "MIT"),
        ((("License", "BSD-2-Clause"),), "BSD-2-Clause"),
        ((("License", "whole text\n of it"), ("Classifier", "License :: OSI Approved :: MIT License")), "MIT License"),
        ((("Classifier", "Topic :: Internet"),), ""),
    ],
)
def test_the_most_exact_field_names_the_license(fields: tuple[tuple[str, str], ...], expected: str) -> None:
    metadata = Message()
    for name, value in fields:
        metadata[name] = value
    assert license_of(cast("Any", metadata)) == expected


def test_the_bill_of_materials_is_valid_and_complete(found: list[Package]) -> None:
    document = json.loads(bill(found, hashes=HASHES.read_text()))
    folder = Path(cyclonedx.schema.__file__).parent / "_res"
    schemas = {path.name: json.loads(path.read_text()) for path in folder.glob("*.schema.json")}
    referred = [
        (f"http://cyclonedx.org/schema/{name}", schemas[name]) for name in schemas if not name.startswith("bom")
    ]
    registry = jsonschema_rs.Registry(referred)
    validator = jsonschema_rs.validator_for(schemas["bom-1.6.SNAPSHOT.schema.json"], registry=registry)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert [error.message for error in validator.iter_errors(document | {"components": [{"name": 1}]})] != []
    names = {(one["name"], one["version"]) for one in document["components"]}
    chromium = ("chromium", json.loads(PACKAGE.read_text())["version"])
    assert names == {(one.name, one.version) for one in found} | {chromium}
    assert all(one.get("hashes") for one in document["components"] if one["name"] != "chromium")


def advisory(name: str, ranges: list[dict[str, str]], *, ecosystem: str = "PyPI", **more: Any) -> dict[str, Any]:
    affected = {"package": {"name": name, "ecosystem": ecosystem}, "ranges": [{"type": "ECOSYSTEM", "events": ranges}]}
    return {"id": f"TEST-{name}", "affected": [affected | more.pop("affected", {})], **more}


BEFORE_2 = [{"introduced": "0"}, {"fixed": "2.0"}]


@pytest.mark.parametrize(
    ("version", "given", "hit"),
    [
        ("1.9", advisory("A_b", BEFORE_2), True),
        ("2.0", advisory("a-b", BEFORE_2), False),
        ("2.5", advisory("a-b", [*BEFORE_2, {"introduced": "2.4"}, {"fixed": "2.6"}]), True),
        ("2.3", advisory("a-b", [{"introduced": "2.4"}, {"fixed": "2.6"}, *BEFORE_2]), False),
        ("1.5", advisory("a-b", [{"introduced": "1.0"}, {"last_affected": "1.5"}]), True),
        ("1.6", advisory("a-b", [{"introduced": "1.0"}, {"last_affected": "1.5"}]), False),
        ("1.9", advisory("a-b", [{"introduced": "first"}, {"fixed": "2.0"}]), True),
        ("1.9", advisory("a-b", [{"introduced": "0"}, {"fixed": "next"}]), True),
        ("3.0", advisory("a-b", BEFORE_2, affected={"versions": ["3.0"]}), True),
        ("1.0", advisory("a-b", BEFORE_2, ecosystem="npm"), False),
        ("1.0", advisory("a-b", BEFORE_2, withdrawn="2026-01-01T00:00:00Z"), False),
        ("1.0", advisory("other", BEFORE_2), False),
    ],
)
def test_an_advisory_affects_the_versions_of_its_ranges(version: str, given: dict[str, Any], hit: bool) -> None:  # noqa: FBT001 - the same
    assert bool(list(advisories.findings(iter([given]), {"a-b": version}))) is hit


def test_known_vulnerabilities_are_read_from_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("A.B==1.0\nother==5\n")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("1.json", json.dumps(advisory("a-b", BEFORE_2)))
        archive.writestr("2.json", json.dumps(advisory("other", BEFORE_2)))
    assert advisories.main([str(tmp_path / "all.zip"), str(constraints)]) == 1
    assert capsys.readouterr().out == "a-b 1.0: TEST-a-b\n"
    constraints.write_text("other==5\n")
    assert advisories.main([str(tmp_path / "all.zip"), str(constraints)]) == 0
    assert capsys.readouterr().out == "no known vulnerabilities\n"
