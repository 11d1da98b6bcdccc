"""Where a crawl of the command line starts: the given address, the site of a list of URLs, or the demo site."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from wavecrawl.application.start_address import candidates
from wavecrawl.bootstrap.start_url import reachable_url
from wavecrawl.cli.console import err, one_line, plain
from wavecrawl.cli.options import urls_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.urls.url import Identity, origin_of
from wavecrawl.errors import InvalidInputError

DEMO_PORT: Final = 8799
"""The port of the demo site if it is free, so that a second crawl of it is one of the same site."""


@contextmanager
def start_urls(address: str, url_list: Path | None, *, quiet: bool) -> Iterator[tuple[str, ...]]:
    """Yield the URLs that may be the start URL, in the order in which to try them.

    Without an address, this is the origin of the first listed URL, or the demo site, which is served meanwhile.
    """
    if address:
        yield candidates(address)
        return
    if url_list is not None:
        site = _site_of(url_list)
        if not quiet:
            err.print(f"the site is {one_line(site)}, the origin of the first URL in {plain(str(url_list))}")
        yield (site,)
        return
    with _served_demo() as served:
        if not quiet:
            err.print(f"no URL given: crawling the bundled demo site, served at {served}")
        yield (served,)


@contextmanager
def _served_demo() -> Iterator[str]:
    """Serve the demo site and yield its URL: always the same, unless another program uses the port."""
    from wavecrawl.demo.demo_site import demo_site  # noqa: PLC0415 - needed for the demo only
    from wavecrawl.demo.server import SiteServer  # noqa: PLC0415 - the same

    with ExitStack() as stack:
        try:
            server = stack.enter_context(SiteServer(demo_site(), port=DEMO_PORT))
        except OSError:
            server = stack.enter_context(SiteServer(demo_site()))
        yield server.url


def start_url(urls: Sequence[str], settings_of: Callable[[str], CrawlSettings], *, data: Path, quiet: bool) -> str:
    """Return the first URL whose server responds; raise as `reachable_url`. One URL needs no check."""
    chosen = reachable_url(urls, settings_of, data=data)
    if len(urls) > 1 and not quiet:
        err.print(f"crawling {one_line(chosen)}")
    return chosen


def _site_of(url_list: Path) -> str:
    for url in urls_of(url_list):
        return origin_of(Identity().page_url(url).url) + "/"
    raise InvalidInputError(f"--urls {url_list} contains no URL")
