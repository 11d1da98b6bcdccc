"""A server of a built application, on loopback."""

from pathlib import Path

from tests.support.folder_server import FolderServer

from wavecrawl.demo.reply import Reply


class AppServer(FolderServer):
    """A server of an application's build. The path `/guide` is served from `guide.html`, as static hosts do.

    If `fallback` is true, a path without a file gets index.html if it has no extension, for routers in the page.
    """

    def __init__(self, root: Path, *, fallback: bool, port: int = 0) -> None:
        super().__init__(root, port=port)
        self._fallback = fallback

    def _read(self, path: str) -> Reply | None:
        is_page = "." not in path.rpartition("/")[2]
        if is_page and not path.endswith("/") and (page := super()._read(f"{path}.html")):
            return page
        found = super()._read(path)
        return super()._read("/") if found is None and is_page and self._fallback else found
