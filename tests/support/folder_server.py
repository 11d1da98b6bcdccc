"""A server of a folder of files, on loopback."""

from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from posixpath import normpath
from urllib.parse import quote, unquote

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of

_TYPES = {
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "txt": "text/plain",
    "md": "text/plain",
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "ico": "image/x-icon",
    "pdf": "application/pdf",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "gz": "application/gzip",
    "zip": "application/zip",
}
# Documents declare their own encoding. One charset for all of them would be wrong for some.


class FolderServer(LoopbackServer):
    """A server of the files of a folder. It follows symbolic links; the response of a directory is its index.html.

    Files are read once and cached. Nothing outside the folder is served.
    """

    def __init__(self, root: Path, *, port: int = 0, latency: float = 0.0, record: bool = True) -> None:
        super().__init__(port=port, latency=latency, record=record)
        if not root.is_dir():
            raise NotADirectoryError(f"{root} is not a folder")
        self.root = root

    def _finder(self) -> Callable[[str], Reply | None]:
        known: dict[str, Reply] = {}

        def find(path: str) -> Reply | None:
            plain = path.partition("?")[0]
            reply = known.get(plain) or self._read(plain)
            if reply is not None:
                known[plain] = reply
            return reply

        return find

    def _read(self, path: str) -> Reply | None:
        wanted = unquote(path)
        inside = normpath("/" + wanted.lstrip("/")).lstrip("/")
        if "\0" in inside:
            return None
        file = self.root / inside
        if file.is_dir():
            if not wanted.endswith("/"):
                location = "/" + quote(inside) + "/"
                return reply_of(301, (("Location", location), ("Content-Type", "text/html")), b"")
            file /= "index.html"
        elif wanted.endswith("/"):
            return None
        try:
            body, modified = file.read_bytes(), int(file.stat().st_mtime)
        except OSError:  # missing, or not readable
            return None
        kind = _TYPES.get(file.suffix[1:].lower(), "application/octet-stream")
        headers = (
            ("Content-Type", kind),
            ("Last-Modified", formatdate(modified, usegmt=True)),
            ("ETag", f'"{modified:x}-{len(body):x}"'),
        )
        return reply_of(200, headers, body)
