"""The start URL of a crawl for an address without a scheme, such as `example.com/docs`: https, or else http."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.urls.url import Identity, origin_of
from wavecrawl.errors import RootFailedError
from wavecrawl.ports.page_client import PageClient

PATIENCE: Final = 5.0
"""Maximum number of seconds until a server responds, before the next URL is tried."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?![0-9]+([/?#]|$))", re.IGNORECASE)
"""A scheme. `localhost:8000` has none: what follows the colon is a port."""


def candidates(address: str) -> tuple[str, ...]:
    """Return the URLs that an address may mean, in the order in which to try them. A URL means itself.

    Raise InvalidUrlError if the address is neither a URL nor a host with an optional port and path.
    """
    if _SCHEME.match(address) or not (address[:1].isalnum() or address.startswith("[")):
        return (address,)
    return tuple(Identity().page_url(f"{scheme}://{address}").url for scheme in ("https", "http"))


def trouble_of(url: str, settings: CrawlSettings, client: PageClient) -> str:
    """Return why the server of a URL does not respond, "" if it does. Requests the headers of its robots.txt once."""
    limits = FetchLimits(timeout=min(PATIENCE, settings.limits.timeout))
    exchange = client.fetch(FetchRequest(url=f"{origin_of(url)}/robots.txt", method="HEAD", limits=limits))
    return "" if exchange.status is not None else exchange.fault_detail or "it did not respond"


def first_reachable(urls: Sequence[str], trouble: Callable[[str], str]) -> str:
    """Return the first URL without trouble; raise RootFailedError, which names the trouble of each, if there is none.

    The only URL is returned unchecked: opening the crawl checks it.
    """
    if len(urls) == 1:
        return urls[0]
    troubles: list[str] = []
    for url in urls:
        why = trouble(url)
        if not why:
            return url
        troubles.append(f"{url} cannot be reached: {why}")
    raise RootFailedError("; ".join(troubles) + ". Check the host name.")
