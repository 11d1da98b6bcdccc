"""A server for generated sites, on loopback."""

from collections.abc import Callable

from wavecrawl.demo.loopback import HOST, LoopbackServer, Served
from wavecrawl.demo.model import OtherSpelling, Site, name_of, respelled
from wavecrawl.demo.render import render_site
from wavecrawl.demo.reply import Reply, reply_of

__all__ = ["HOST", "Served", "SiteServer"]


class SiteServer(LoopbackServer):
    """A server of a generated site. A path with the wrong trailing slash has the page's `other` response."""

    def __init__(
        self, site: Site, *, host: str = HOST, port: int = 0, latency: float = 0.0, record: bool = True
    ) -> None:
        super().__init__(host=host, port=port, latency=latency, record=record)
        self.site = site

    def _finder(self) -> Callable[[str], Reply | None]:
        replies = render_site(self.site, self.origin)
        by_name = self.site.by_name()

        def find(path: str) -> Reply | None:
            reply = replies.get(path)
            if reply is not None:
                return reply
            try:
                own, other = by_name.get(name_of(path)), by_name.get(respelled(name_of(path)))
            except ValueError:  # not a valid path
                return None
            if own is not None:  # only the parameters differ
                return replies[own.path]
            if other is None or other.other is OtherSpelling.MISSING:
                return None
            if other.other is OtherSpelling.SAME:
                return replies[other.path]
            return reply_of(301, (("Location", other.path), ("Content-Type", "text/html")), b"")

        return find
