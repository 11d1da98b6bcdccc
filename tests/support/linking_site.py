"""A site that links to many other hosts, for checks of links. The hosts are addresses of loopback."""

from collections.abc import Callable
from html import escape

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of

HTML = (("Content-Type", "text/html; charset=utf-8"),)
BROKEN = 10  # one URL in so many is missing


class OtherHosts(LoopbackServer):
    """All other hosts in one server: `/N` is missing if N is a multiple of `BROKEN`."""

    def __init__(self, *, latency: float) -> None:
        super().__init__(host="0.0.0.0", latency=latency, record=False)

    def _finder(self) -> Callable[[str], Reply | None]:
        found = reply_of(200, HTML, b"<p>found")

        def find(path: str) -> Reply | None:
            number = path[1:]
            return found if number.isdigit() and int(number) % BROKEN else None

        return find


class LinkingSite(LoopbackServer):
    """A site of `pages` pages. Each has `links` links of its own to `hosts` other hosts, which listen at `port`."""

    def __init__(self, *, pages: int, links: int, hosts: int, port: int) -> None:
        super().__init__(record=False)
        self._pages = pages
        self._links = links
        self._hosts = hosts
        self._other = port

    @property
    def paths(self) -> list[str]:
        """The paths of all pages."""
        return ["/", *(f"/pages/{number}" for number in range(1, self._pages))]

    def _finder(self) -> Callable[[str], Reply | None]:
        replies = {path: reply_of(200, HTML, self._page(number)) for number, path in enumerate(self.paths)}
        return replies.get

    def _page(self, number: int) -> bytes:
        first = number * self._links
        outside = [self._outside(link) for link in range(first, first + self._links)]
        targets = [*(self.paths[1:] if not number else ()), *outside]
        links = "".join(f"<li><a href='{escape(target)}'>{escape(target)}</a>" for target in targets)
        return f"<!doctype html><html lang=en><title>Page {number}</title><main><ul>{links}</ul></main>".encode()

    def _outside(self, link: int) -> str:
        return f"http://127.0.1.{link % self._hosts + 1}:{self._other}/{link}"
