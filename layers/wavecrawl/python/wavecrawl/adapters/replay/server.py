"""The server of a replay on loopback: the engine, the page with the replay, and one archive."""

from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from wavecrawl.adapters.replay.engine import WORKER, ReplayEngine
from wavecrawl.adapters.replay.file_server import Content, FileServer, listen

HOST: Final = "127.0.0.1"
ARCHIVE: Final = "/crawl.wacz"
COLLECTION: Final = "archive"
"""The name of the archive in URLs of the engine."""


class ReplayServer:
    """Serves one archive to the browser that replays it, on a free port. A context manager."""

    def __init__(self, engine: ReplayEngine, archive: Path) -> None:
        page = files("wavecrawl.adapters.replay").joinpath("replay.html").read_bytes()
        contents = {
            "/": Content(kind="text/html; charset=utf-8", body=page),
            f"/{WORKER}": Content(kind="text/javascript; charset=utf-8", body=engine.content(WORKER)),
        }
        self._server = FileServer(listen(HOST), contents, lambda path: archive if path == ARCHIVE else None)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._server.port

    @property
    def origin(self) -> str:
        """The URL of the server, without a slash at the end."""
        return f"http://{HOST}:{self.port}"

    def url_of(self, url: str, time: str) -> str:
        """Return where the engine shows a page as it was at a time (14 digits)."""
        return f"{self.origin}/w/{COLLECTION}/{time}mp_/{url}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()
