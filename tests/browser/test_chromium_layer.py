"""The layers for rendering: their own Chromium, driver and libraries render a page on this machine."""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from layers.build import ROOT, chromium_layer
from tests.support.campaign import slow
from tests.support.patience import HANG
from tests.support.session import locked
from tests.support.synthesis import native_layers

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of

MEMORY_MB = 2_048  # render_memory
STORAGE_MB = 1_024  # render_storage_mb

_SCRIPT = b'document.getElementById("root").innerHTML = "<h1>Shown</h1><a href=/next>Next</a>"'


class App(LoopbackServer):
    """A site whose pages a script fills."""

    def _finder(self) -> Callable[[str], Reply | None]:
        return lambda _: reply_of(200, (("Content-Type", "text/javascript"),), _SCRIPT)


def _layer_of_chromium() -> Path:
    """Return the folder of the layer. It runs on Linux with x86_64 only, and npm fetches it."""
    if platform.machine() != "x86_64" or sys.platform != "linux":
        pytest.skip("Chromium for Lambda runs on Linux with x86_64 only")
    if shutil.which("npm") is None:
        if os.environ.get("CI"):
            pytest.fail("npm is not installed; it fetches Chromium for Lambda")
        pytest.skip("npm is not installed; it fetches Chromium for Lambda")
    with locked("layers"):
        return chromium_layer().folder


def rendered(tmp_path: Path) -> dict[str, Any]:
    """Render a page in a process that has nothing but the layers."""
    chromium, native = _layer_of_chromium(), native_layers()
    paths = [str(native[name].folder / "python") for name in ("wavecrawl", "render_dependencies")]
    environment = {
        "PATH": "",  # no other Chromium and no other Node.js
        "PYTHONPATH": os.pathsep.join(paths),
        "LD_LIBRARY_PATH": str(chromium / "lib"),  # Lambda has /opt/lib there
        "AWS_LAMBDA_FUNCTION_NAME": "render-batch",
        "TMPDIR": str(tmp_path),
    }
    program = ROOT / "tests" / "browser" / "layered.py"
    with App() as app:
        arguments = [str(chromium), str(tmp_path / "unpacked"), f"{app.url}page", str(tmp_path / "page.jpg")]
        done = subprocess.run(
            [sys.executable, "-S", str(program), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG,
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@slow  # another Chromium
def test_the_layers_render_a_page_by_themselves(tmp_path: Path) -> None:
    found = rendered(tmp_path)
    assert found["problems"] == [""] * 4
    assert '<a href="/next">Next</a>' in found["html"]
    assert found["executable"] == str(tmp_path / "unpacked" / "chromium")
    assert found["node"] == str(tmp_path / "unpacked" / "node")
    assert (tmp_path / "page.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert found["unpacked_mb"] + 100 < STORAGE_MB, "profile and shared memory need the rest"
    assert found["mb"] < MEMORY_MB / 2, "pages of applications need more than this one"
