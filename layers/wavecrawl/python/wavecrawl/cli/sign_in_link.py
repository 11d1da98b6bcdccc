"""The link that opens the dashboard, signed in."""

import os
import sys
import webbrowser
from html import escape
from pathlib import Path

import msgspec

_FILE = "dashboard.html"


class SignInLink(msgspec.Struct, frozen=True, kw_only=True):
    """The URL of the dashboard with an API key, or without one.

    The key is in the fragment, which browsers do not send. The dashboard removes it from the address.
    """

    base_url: str
    key: str | None

    @property
    def url(self) -> str:
        """The whole URL."""
        return f"{self.base_url}/#key={self.key}" if self.key else f"{self.base_url}/"

    def open(self, folder: Path) -> None:
        """Open the URL in a graphical browser, if there is one.

        The browser gets the name of a file that only this user can read. Arguments of programs are visible to all.
        """
        if not has_display():
            return
        file = folder / _FILE
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as page:
            page.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(self.url)}">\n')
        webbrowser.open(file.resolve().as_uri())


def has_display() -> bool:
    """Return whether a graphical browser can be opened. A browser in the terminal would stop the service."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
