"""Walks through the applications, made once per test session."""

from pathlib import Path

import msgspec
from tests.browser.oracle import Walk, chromium, walk
from tests.support.browser_apps import APPS, App
from tests.support.campaign import CAMPAIGN
from tests.support.chromium import executable
from tests.support.session import make_once

CRAWLED = tuple(app for app in APPS if CAMPAIGN or app.name in {"lit", "hydrated"})
"""The applications that are walked through and crawled: all in the campaign, else two, as each takes ten seconds."""

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
