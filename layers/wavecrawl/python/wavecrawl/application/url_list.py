"""The URLs of a crawl with discovery `list`, as an object: a list can be larger than a row of the table."""

from collections.abc import Sequence

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.objects import Objects

_NAME = "frontier/urls.msgpack"
"""Needed until the first wave is planned, so it expires with the snapshots."""


def store_urls(objects: Objects, crawl: CrawlId, urls: Sequence[str]) -> None:
    """Store the list of a crawl. The first list stays if this is repeated."""
    objects.put_new(crawl, _NAME, msgspec.msgpack.encode(urls))


def load_urls(objects: Objects, crawl: CrawlId) -> tuple[str, ...]:
    """Return the list of a crawl; raise CorruptDataError if it is missing or cannot be read."""
    data = objects.get(crawl, _NAME)
    if data is None:
        raise CorruptDataError(f"the list of URLs of crawl {crawl} is missing; lists expire some time after a crawl")
    try:
        return msgspec.msgpack.decode(data, type=tuple[str, ...])
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the list of URLs of crawl {crawl} cannot be read: {error}") from error
