"""The byte code of the layers."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from layers import byte_code
from layers.build import build_layers
from layers.byte_code import Compiler, lambda_compiler, own_compiler
from tests.support.session import locked

MAGIC = (3571).to_bytes(2, "little") + b"\r\n"
"""Of Python 3.13: https://github.com/python/cpython/blob/3.13/Include/internal/pycore_magic_number.h"""

UNCHECKED = 0b01
"""The flags of byte code that is loaded without a look at its source (PEP 552)."""


def script(path: Path, text: str) -> Path:
    """Write a program that prints a text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without Python 3.13 and without network."""
    monkeypatch.setattr(byte_code, "_MANAGED", tmp_path / "managed")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    return tmp_path


def test_every_module_for_lambda_has_byte_code_that_is_loaded_unchecked() -> None:
    if lambda_compiler() is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Python 3.13, and uv cannot fetch it")
        pytest.skip("there is no Python 3.13, and uv cannot fetch it")
    with locked("layers"):
        folders = [one.folder / "python" for one in build_layers("lambda").values()]
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(sources) > 1_000
    compiled = [one.parent / "__pycache__" / f"{one.stem}.cpython-313.pyc" for one in sources]
    assert [path for path in compiled if not path.is_file()] == []
    assert {(path.read_bytes()[:4], path.read_bytes()[4]) for path in compiled} == {(MAGIC, UNCHECKED)}


def test_byte_code_is_the_same_wherever_and_whenever_it_is_compiled(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two")):
        source = tmp_path / name / "python" / "package" / "module.py"
        source.parent.mkdir(parents=True)
        source.write_text("names = {'b', 'a'}\n\n\ndef path():\n    return __file__\n")
        os.utime(source, (number, number))
        own_compiler().compile(tmp_path / name)
    first, second = (
        Path(importlib.util.cache_from_source(str(tmp_path / name / "python" / "package" / "module.py"))).read_bytes()
        for name in ("one", "two")
    )
    assert first == second
    assert b"/opt/python/package/module.py" in first


def test_an_interpreter_that_does_not_start_is_passed_over(empty: Path) -> None:
    script(empty / "bin" / "python3.13", "exit 127")  # as pyenv's, if no 3.13 is selected
    there = script(empty / "pyenv" / "versions" / "3.13.4" / "bin" / "python3.13", "echo '3.13.4 (main)'")
    assert lambda_compiler.__wrapped__() == Compiler(program=str(there), version="3.13.4 (main)")


def test_an_interpreter_of_another_version_compiles_nothing_for_lambda(empty: Path) -> None:
    script(empty / "bin" / "python3.13", "echo '3.14.0 (main)'")
    assert lambda_compiler.__wrapped__() is None


def test_an_interpreter_is_fetched_if_there_is_none(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = empty / "managed" / "cpython-3.13.9-linux-x86_64-gnu" / "bin" / "python3.13"
    uv = script(
        empty / "uv", f"mkdir -p {fetched.parent}; printf '#!/bin/sh\\necho 3.13.9\\n' > {fetched}; chmod +x {fetched}"
    )
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(uv))
    assert lambda_compiler.__wrapped__() == Compiler(program=str(fetched), version="3.13.9")


def test_without_network_and_interpreter_there_is_no_byte_code(empty: Path) -> None:
    assert empty.is_dir()
    assert lambda_compiler.__wrapped__() is None
