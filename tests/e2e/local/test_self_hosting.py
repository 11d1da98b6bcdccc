"""The files for self-hosting: what they start exists, and runs without privileges."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.patience import HANG
from tests.support.serving import served
from typer.testing import CliRunner

from wavecrawl.adapters.browser.switches import SANDBOX
from wavecrawl.cli.main import program

ROOT = Path(__file__).parents[3]
UNIT = ROOT / "examples" / "systemd" / "wavecrawl.service"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def instructions(name: str) -> list[str]:
    """Return what the Dockerfile says in instructions of a name, in the order of the file."""
    return re.findall(rf"^\s*{name}\s+(.*)$", DOCKERFILE, flags=re.MULTILINE)


def unit() -> dict[str, list[str]]:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT, encoding="utf-8")
    return {name: value.split() for name, value in parser["Service"].items()}


def takes(command: list[str]) -> bool:
    """Return whether the command line takes these arguments."""
    return CliRunner().invoke(program(command[0]), [*command, "--help"]).exit_code == 0


def health_check(port: int) -> list[str]:
    (check,) = re.findall(r"CMD (\[.*\])", instructions("HEALTHCHECK")[0])
    python, *arguments = json.loads(check)
    assert python == "python"
    return [sys.executable, *(one.replace("8787", str(port)) for one in arguments)]


def test_the_container_runs_the_service_without_privileges() -> None:
    assert instructions("USER") == ["wavecrawl"]
    assert DOCKERFILE.index("USER wavecrawl") < DOCKERFILE.index("ENTRYPOINT")
    assert instructions("VOLUME") == ["/data"]
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["wavecrawl"]
    assert takes(json.loads(instructions("CMD")[-1]))
    environment = dict(pair.split("=") for pair in instructions("ENV")[0].split())
    assert environment["WAVECRAWL_DATA"] == "/data"
    assert environment[SANDBOX] == "off"


def test_the_container_installs_extras_that_exist() -> None:
    (extras,) = re.findall(r"\.whl\)\[([a-z,]+)\]", DOCKERFILE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"--editable '.[{extras}]'" in makefile


def test_the_health_check_fails_without_the_service(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        port = int(service.url.rpartition(":")[2])
        assert subprocess.run(health_check(port), check=False, timeout=HANG).returncode == 0
    stopped = subprocess.run(health_check(port), check=False, timeout=HANG, capture_output=True)
    assert stopped.returncode != 0


def test_the_unit_starts_the_service_without_privileges() -> None:
    service = unit()
    assert service["User"] == ["wavecrawl"]
    assert Path(service["ExecStart"][0]).name == "wavecrawl"
    assert takes(service["ExecStart"][1:])
    assert service["Environment"] == [f"WAVECRAWL_DATA=/var/lib/{service['StateDirectory'][0]}"]


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program_ = shutil.which("systemd-analyze")
    if program_ is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("systemd-analyze is not installed")
    text = UNIT.read_text(encoding="utf-8").replace(unit()["ExecStart"][0], shlex.quote(sys.executable))
    copy = tmp_path / UNIT.name
    copy.write_text(text, encoding="utf-8")
    checked = subprocess.run([program_, "verify", str(copy)], check=False, capture_output=True, text=True, timeout=HANG)
    assert (checked.returncode, checked.stderr) == (0, "")
