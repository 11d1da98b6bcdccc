"""`wavecrawl doctor` without --stack: the checks of this machine."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

import pytest
from tests.adapters.http.loopback import CA_FILE
from typer.testing import CliRunner

from wavecrawl.adapters.http.own_authorities import VARIABLES
from wavecrawl.bootstrap import machine_checks
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app

CONTACT = ("--contact", "https://crawler.example/about")


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the machine have no browser. Tests with one set WAVECRAWL_CHROMIUM."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("WAVECRAWL_CHROMIUM", raising=False)
    monkeypatch.delenv("WAVECRAWL_CONTACT", raising=False)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / name))


def checked(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done.exit_code, {line["check"]: line for line in lines}


def test_what_crawls_can_do_without_is_missing_and_no_failure(tmp_path: Path) -> None:
    code, found = checked("--data", str(tmp_path / "new"))
    assert code == Exit.OK
    assert list(found) == ["contact", "network", "browser", "disk", "time zones", "AWS credentials"]
    assert {check for check, line in found.items() if line["problem"]} == {"contact", "browser", "AWS credentials"}
    assert "WAVECRAWL_CONTACT or --contact" in found["contact"]["problem"]
    assert "apt-get install chromium" in found["browser"]["problem"]
    assert found["disk"]["detail"].endswith(f"MB free in {tmp_path}")
    printed = CliRunner().invoke(app, ["doctor", "--data", str(tmp_path)]).output
    assert "missing contact (optional): " in printed
    assert printed.splitlines()[-1] == "no check failed; 3 optional missing"
    assert [line.split()[0] for line in printed.splitlines() if ": " in line] == [
        "missing",
        "ok",
        "missing",
        "ok",
        "ok",
        "missing",
    ]


def test_the_network_is_shown_without_the_password_of_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "WAVECRAWL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    _, found = checked()
    assert found["network"]["detail"] == "without a proxy; authorities: the public ones, and this machine's"
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.example")
    monkeypatch.setenv("WAVECRAWL_CA_FILE", CA_FILE)
    _, found = checked()
    assert found["network"]["detail"] == f"through a proxy for https; authorities: {CA_FILE}, and this machine's"
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:secret@proxy.example")
    code, found = checked()
    assert code == Exit.NEGATIVE
    assert found["network"]["problem"].startswith("HTTPS_PROXY must be the URL of an HTTP proxy")
    assert "secret" not in str(found)


def test_a_contact_is_shown_as_owners_of_sites_see_it() -> None:
    _, found = checked(*CONTACT)
    assert found["contact"]["ok"]
    assert found["contact"]["detail"].endswith("(+https://crawler.example/about)")


def test_a_browser_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    _, found = checked(*CONTACT)
    assert found["browser"]["problem"].startswith(f"{broken} ends when it is started (exit code 1); install it")
    monkeypatch.setenv("WAVECRAWL_CHROMIUM", str(tmp_path / "missing"))
    _, found = checked(*CONTACT)
    assert f"WAVECRAWL_CHROMIUM is {tmp_path / 'missing'}, which is not a program" in found["browser"]["problem"]


def test_without_playwright_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavecrawl.bootstrap.browsers.find_spec", lambda _: None)
    _, found = checked(*CONTACT)
    assert "pip install '.[browser]'" in found["browser"]["problem"]


def test_a_full_disk_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=123_000_000))
    code, found = checked(*CONTACT, "--data", str(tmp_path))
    assert code == Exit.NEGATIVE
    assert found["disk"]["problem"].startswith(f"{tmp_path} has only 123 MB left; free 1,000 MB")


def test_a_folder_that_cannot_be_written_to_fails(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    code, found = checked(*CONTACT, "--data", str(file))
    assert (code, found["disk"]["ok"]) == (Exit.NEGATIVE, False)


def test_time_zones_that_are_missing_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise ZoneInfoNotFoundError

    monkeypatch.setattr(machine_checks, "ZoneInfo", SimpleNamespace(no_cache=missing))
    code, found = checked(*CONTACT)
    assert code == Exit.NEGATIVE
    assert "install tzdata" in found["time zones"]["problem"]


def test_time_zones_of_the_package_are_used_without_those_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "TZPATH", ())
    _, found = checked(*CONTACT)
    assert found["time zones"]["detail"].endswith(f"{os.sep}tzdata")


def test_credentials_are_found_without_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    _, found = checked(*CONTACT)
    assert found["AWS credentials"]["detail"] == "found (env); to check them and a deployment, add --stack NAME"


def test_credentials_that_are_missing_or_cannot_be_looked_for_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    code, found = checked(*CONTACT)
    assert (code, found["AWS credentials"]["optional"]) == (Exit.OK, True)
    assert "run `aws configure`; only deployments need them" in found["AWS credentials"]["problem"]
    monkeypatch.setenv("AWS_PROFILE", "unknown")
    code, found = checked(*CONTACT)
    assert code == Exit.OK
    assert "unknown" in found["AWS credentials"]["problem"]
    monkeypatch.setattr(machine_checks, "find_spec", lambda _: None)
    _, found = checked(*CONTACT)
    assert "pip install '.[cloud]'" in found["AWS credentials"]["problem"]


def test_a_deployment_needs_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    code, found = checked("--stack", "wavecrawl")
    assert (code, list(found)) == (Exit.NEGATIVE, ["AWS credentials"])
    assert "run `aws configure`" in found["AWS credentials"]["problem"]
