"""The Chromium that tests start."""

import os
import shutil

import pytest


def executable() -> str:
    """Return the path of Chromium. Without one, skip the test, or fail it in CI."""
    found = os.environ.get("WAVECRAWL_CHROMIUM") or shutil.which("chromium")
    if found:
        return found
    missing = "no Chromium: install Debian's package chromium, or set WAVECRAWL_CHROMIUM"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)
