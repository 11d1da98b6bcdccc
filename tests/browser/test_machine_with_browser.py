"""`wavecrawl doctor` on a machine with Chromium."""

from pathlib import Path

import pytest
from tests.support.chromium import executable

from wavecrawl.bootstrap.machine_checks import machine_findings


def test_the_browser_is_started_and_its_version_shown(tmp_path: Path) -> None:
    path = executable()
    found = {finding.check: finding for finding in machine_findings(data=tmp_path, contact="")}
    assert found["browser"].problem == ""
    version, _, where = found["browser"].detail.partition(" ")
    assert version.split(".")[0].isdigit()
    assert where == f"({path})"


def test_a_browser_that_crashes_once_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = tmp_path / "chromium"
    once.write_text(
        f'#!/bin/sh\nmkdir {tmp_path}/crashed && kill -SEGV $$\nexec {executable()} "$@"\n', encoding="utf-8"
    )
    once.chmod(0o755)
    monkeypatch.setenv("WAVECRAWL_CHROMIUM", str(once))
    found = {finding.check: finding for finding in machine_findings(data=tmp_path, contact="")}
    assert found["browser"].problem == ""
    assert (tmp_path / "crashed").is_dir()
