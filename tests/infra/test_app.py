"""The CDK app as a program: what a person sees if it cannot write the template."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from layers.build import ROOT, LayerBuildError

from infra import app

QUIET = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "18,20"}  # as in the Makefile


def test_invalid_settings_are_one_message_and_no_traceback(tmp_path: Path) -> None:
    context = {"fetch_memory": "much", "alarms": "loud"}
    done = subprocess.run(
        [sys.executable, ROOT / "infra" / "app.py", tmp_path],
        env=os.environ | QUIET | {"CDK_CONTEXT_JSON": json.dumps(context)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: invalid settings")
    assert "fetch_memory must be a whole number: 'much'" in line
    assert "alarms must be one of" in line
    assert list(tmp_path.iterdir()) == []


def test_a_layer_that_cannot_be_built_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_: object) -> None:
        raise LayerBuildError("pip could not install lxml==6.0.0 for lambda")

    monkeypatch.setattr(app, "build_app", fails)
    assert app.main([]) == 1
    assert capsys.readouterr().err == "error: pip could not install lxml==6.0.0 for lambda\n"
