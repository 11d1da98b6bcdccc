"""Unpacks what the layers of AWS Lambda hold compressed: Chromium, and the Node.js of Playwright's driver.

layers/browser_files.py writes the layers. Lambda's layers are read-only and limited in size, so the files are unpacked
to /tmp, with the first page that an environment renders.
"""

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import zstandard

from wavecrawl.adapters.browser.executable import VARIABLE

LAYERS: Final = Path("/opt")
_NODE_VARIABLE: Final = "PLAYWRIGHT_NODEJS_PATH"  # read by Playwright, in `playwright/_impl/_driver.py`


def unpack_browser(into: Path, *, layers: Path = LAYERS) -> None:
    """Unpack the files to a folder, unless they are there, and set the environment variables with their paths.

    Do nothing for what the layers do not hold, and for Chromium if a variable names another one.
    """
    into.mkdir(parents=True, exist_ok=True)
    playwright = find_spec("playwright")
    if playwright is not None and playwright.origin is not None:
        node = Path(playwright.origin).with_name("driver") / "node.zst"
        if node.exists():
            os.environ[_NODE_VARIABLE] = str(_unpacked(node, into))
    packed = layers / "chromium" / "chromium.zst"
    if packed.exists() and not os.environ.get(VARIABLE):
        for library in packed.parent.glob("*.so*"):  # Chromium loads them from its own folder
            _link(into / library.name, library)
        _link(into / "vk_swiftshader_icd.json", packed.with_name("vk_swiftshader_icd.json"))
        os.environ["FONTCONFIG_PATH"] = str(packed.parent)
        os.environ[VARIABLE] = str(_unpacked(packed, into))


def _unpacked(packed: Path, into: Path) -> Path:
    """Return the unpacked program. Processes that unpack it at the same time do not disturb each other."""
    program = into / packed.stem
    if not program.exists():
        handle, name = tempfile.mkstemp(dir=into)
        with packed.open("rb") as source, os.fdopen(handle, "wb") as target:
            zstandard.ZstdDecompressor().copy_stream(source, target)
        Path(name).chmod(0o700)
        Path(name).replace(program)
    return program


def _link(link: Path, target: Path) -> None:
    if not link.is_symlink():
        link.symlink_to(target)
