"""The viewer of archives beside `wavecrawl serve`: the application of ReplayWeb.page, on an origin of its own.

Archived scripts run with the origin of the viewer. It differs from that of the dashboard, whose storage has an API key
(ADR 41). The viewer has nothing but the engine and the archives of signed URLs.
"""

import socket
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Final

from wavecrawl.adapters.embedded.downloads import VIEWED, Download
from wavecrawl.adapters.replay.engine import APPLICATION, WORKER, ReplayEngine
from wavecrawl.adapters.replay.file_server import Content, FileServer
from wavecrawl.errors import NotFoundError

_SCRIPT: Final = "text/javascript; charset=utf-8"
_PAGE: Final = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Archive</title><script src="/{APPLICATION}"></script></head>
<body><replay-app-main></replay-app-main></body>
</html>
"""
_HEADERS: Final = MappingProxyType(
    {
        # The engine makes scripts from text, and styles, images and fonts from data. It reaches its own server only.
        "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
        "frame-ancestors 'self'; form-action 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex",
    }
)


def viewer(listener: socket.socket, engine: ReplayEngine, find: Callable[[str], Download]) -> FileServer:
    """Return the server of the viewer. `find` returns the file of a signed URL's token, or raises NotFoundError."""

    def archive_at(path: str) -> Path | None:
        token, slash, name = path.removeprefix(VIEWED).partition("/")
        if not path.startswith(VIEWED) or not slash or not name.endswith(".wacz"):
            return None
        try:
            found = find(token).path
        except NotFoundError:
            return None
        return found if found.suffix == ".wacz" else None

    contents = {
        "/": Content(kind="text/html; charset=utf-8", body=_PAGE.encode(), headers=_HEADERS),
        f"/{WORKER}": Content(kind=_SCRIPT, body=engine.content(WORKER), headers=_HEADERS),
        f"/{APPLICATION}": Content(kind=_SCRIPT, body=engine.content(APPLICATION), headers=_HEADERS),
    }
    return FileServer(listener, contents, archive_at)
