"""Where Chromium is."""

import os
import shutil
from collections.abc import Mapping

from wavecrawl.errors import BrowserMissingError

VARIABLE = "WAVECRAWL_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = f"install it (Debian, Ubuntu: apt-get install chromium), or set {VARIABLE} to its path"


def find_chromium(environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of Chromium: that of the variable, else the first on PATH. Raise BrowserMissingError."""
    named = environment.get(VARIABLE, "")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):  # noqa: PTH112 - as PTH would resolve it
            raise BrowserMissingError(f"{VARIABLE} is {named}, which is not a program; {HOW}")
        return named
    for name in NAMES:
        found = shutil.which(name, path=environment.get("PATH", os.defpath))
        if found:
            return found
    raise BrowserMissingError(f"Chromium is not installed; {HOW}")
