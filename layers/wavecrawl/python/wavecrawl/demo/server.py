"""A server for generated sites, on loopback."""

from collections.abc import Callable

from wavecrawl.demo.loopback import HOST, LoopbackServer, Served
from wavecrawl.demo.model import Site, name_of
from wavecrawl.demo.render import render_site
from wavecrawl.demo.reply import Reply, reply_of

__all__ = ["HOST", "Served", "SiteServer"]


class SiteServer(LoopbackServer):
    """A server of a generated site. A path with the wrong trailing slash redirects to the page's own path."""

    def __init__(
        self, site: Site, *, host: str = HOST, port: int = 0, latency: float = 0.0, record: bool = True
    ) -> None:
        super().__init__(host=host, port=port, latency=latency, record=record)
        self.site = site

    def _finder(self) -> Callable[[str], Reply | None]:
        replies = render_site(self.site, self.origin)
        by_name = {name: page.path for name, page in self.site.by_name().items()}

        def find(path: str) -> Reply | None:
            reply = replies.get(path)
            if reply is not None:
                return reply
            try:
                own = by_name.get(name_of(path))
            except ValueError:  # not a valid path
                return None
            if own is None:
                return None
            if _ends_with_slash(own) == _ends_with_slash(path):  # only the parameters differ
                return replies[own]
            return reply_of(301, (("Location", own), ("Content-Type", "text/html")), b"")

        return find


def _ends_with_slash(path: str) -> bool:
    return path.partition("?")[0].endswith("/")
