"""`wavecrawl doctor` on a machine with Chromium."""

from pathlib import Path

from tests.support.chromium import executable

from wavecrawl.bootstrap.machine_checks import machine_findings


def test_the_browser_is_started_and_its_version_shown(tmp_path: Path) -> None:
    path = executable()
    found = {finding.check: finding for finding in machine_findings(data=tmp_path, contact="")}
    assert found["browser"].problem == ""
    version, _, where = found["browser"].detail.partition(" ")
    assert version.split(".")[0].isdigit()
    assert where == f"({path})"
