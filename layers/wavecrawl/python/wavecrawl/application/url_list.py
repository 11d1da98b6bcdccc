"""The URLs of a crawl with discovery `list`, as an object: a list can be larger than a row of the table."""

from collections.abc import Iterable, Sequence
from io import BytesIO

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.url_lists import copy_name

_NAME = "frontier/urls.msgpack"
"""Needed until the first wave is planned, so it expires with the snapshots."""


def store_urls(objects: Objects, crawl: CrawlId, urls: Sequence[str]) -> None:
    """Store the list of a crawl. The first list stays if this is repeated."""
    objects.put_new(crawl, _NAME, msgspec.msgpack.encode(urls))


def load_urls(objects: Objects, crawl: CrawlId, url_list: str = "") -> Iterable[str]:
    """Return the list of a crawl: its copy of the uploaded list `url_list`, or the URLs that the request named.

    Of an uploaded list, memory holds the text, and one URL at a time. Raise CorruptDataError if the list is missing or
    cannot be read.
    """
    data = objects.get(crawl, copy_name(url_list) if url_list else _NAME)
    if data is None:
        raise CorruptDataError(f"the list of URLs of crawl {crawl} is missing; lists expire some time after a crawl")
    if url_list:
        return (line.decode().removesuffix("\n") for line in BytesIO(data))
    try:
        return msgspec.msgpack.decode(data, type=tuple[str, ...])
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the list of URLs of crawl {crawl} cannot be read: {error}") from error
