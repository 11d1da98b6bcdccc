"""A hostile page, and the record that it must give."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.adapters.http.loopback import Peer, Talk, once, page

HTML = "Content-Type: text/html; charset=utf-8"
OK = b"HTTP/1.1 200 OK\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What a server sends for one page, and the record of the page."""

    name: str
    talk: Talk
    state: str = "fetched"
    reason: str = ""
    links: int | None = None  # number of links; None = not compared
    title: str | None = None  # the first characters of the title; None = not compared
    truncated: bool = False
    redirect_to: str | None = None  # "{site}" is the server; None = not compared


def html(body: bytes, *headers: str) -> Talk:
    """Send a page of HTML."""
    return once(page(body, HTML, *headers))


def sends(body: bytes, *headers: str, status: str = "200 OK") -> Talk:
    """Send a response of any kind."""
    return once(page(body, *headers, status=status))


def redirects(location: Callable[[Peer], str] | str, *headers: str, status: str = "302 Found") -> Talk:
    """Redirect. `location` may depend on the connection; "{port}" is the server's."""

    def talk(peer: Peer) -> None:
        peer.request()
        target = location if isinstance(location, str) else location(peer)
        target = target.replace("{port}", str(peer.server.port))
        fields = [one.replace("{number}", str(peer.number)) for one in headers]
        peer.say(page(b"", *([f"Location: {target}"] if target else []), *fields, status=status))

    return talk
