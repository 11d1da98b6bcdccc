"""A site of given responses, for tests of media: every response has an ETag."""

from collections.abc import Callable, Mapping
from hashlib import sha256

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, error_reply, reply_of

HTML = "text/html; charset=utf-8"
GIF = bytes.fromhex("47494638396101000100800000ffffff0000002c00000000010001000002024401003b")  # 1 x 1 pixel
PNG = b"\x89PNG\r\n\x1a\n"


def png(number: int) -> tuple[str, bytes]:
    """Return the response of one of many different images."""
    return "image/png", PNG + str(number).encode()


def html(body: str) -> tuple[str, bytes]:
    """Return the response of a page."""
    return HTML, f"<!DOCTYPE html><title>A page</title><body>{body}".encode()


class MediaSite(LoopbackServer):
    """A server of `content`: path -> (Content-Type, body), or a status, or the URL that it redirects to."""

    redirect_status = 302

    def __init__(self, content: Mapping[str, tuple[str, bytes] | int | str]) -> None:
        super().__init__()
        self.content = dict(content)

    def _finder(self) -> Callable[[str], Reply | None]:
        return self._reply_to

    def _reply_to(self, path: str) -> Reply | None:
        given = self.content.get(path)
        if given is None or isinstance(given, int):
            return error_reply(given or 404)
        if isinstance(given, str):
            return reply_of(self.redirect_status, (("Location", given),), b"")
        kind, body = given
        tag = f'"{sha256(kind.encode() + body).hexdigest()[:16]}"'
        return reply_of(200, (("Content-Type", kind), ("ETag", tag)), body)

    def requests(self, path: str) -> list[tuple[str, int]]:
        """Return method and status of each request for a path."""
        return [(one.method, one.status) for one in self.log if one.path == path]


class PermanentSite(MediaSite):
    """A site whose redirects are permanent."""

    redirect_status = 301
