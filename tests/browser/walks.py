"""Walks through the applications, made once per test session."""

from pathlib import Path

import msgspec
from tests.browser.oracle import Walk, chromium, walk
from tests.support.browser_apps import App
from tests.support.campaign import CAMPAIGN
from tests.support.chromium import executable
from tests.support.session import make_once

_FILE = "walk.json"


def walked(app: App) -> Walk:
    """Return what a walk through an application finds. In the campaign, all links and buttons are clicked."""
    browser = executable()

    def make(folder: Path) -> None:
        with app.serve() as server, chromium(browser) as started:
            found = walk(started, server.origin, thorough=CAMPAIGN)
        (folder / _FILE).write_bytes(msgspec.json.encode(found))

    folder = make_once(f"walk-{app.name}", make)
    return msgspec.json.decode((folder / _FILE).read_bytes(), type=Walk)
