"""What the first results of a crawl found by comparing it with earlier crawls.

Results that are made again use it: the page memory has gone on since, and the earlier crawls may be deleted.
"""

from functools import partial

import msgspec

from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.graph.completeness import SiteBlocker
from wavecrawl.ports.analytics import Kept
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects


class FirstResults(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl's first results found in the page memory and in earlier crawls."""

    changes: SiteChanges | None
    blockers: tuple[SiteBlocker, ...]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(FirstResults)


def first_results(crawl: CrawlRow, objects: Objects) -> FirstResults | None:
    """Return what the first results since the end of a crawl found, None if there are none yet."""
    data = objects.get(crawl.id, _name(crawl, "found"))
    return None if data is None else _DECODER.decode(data)


def keep_first(crawl: CrawlRow, found: FirstResults, objects: Objects) -> None:
    """Store what the first results found."""
    objects.put(crawl.id, _name(crawl, "found"), _ENCODER.encode(found))


def kept_lists(crawl: CrawlRow, objects: Objects) -> Kept:
    """Return where the lists of changes in the report are kept."""
    name = _name(crawl, "listed")
    return Kept(get=partial(objects.get, crawl.id, name), put=partial(objects.put, crawl.id, name))


def _name(crawl: CrawlRow, what: str) -> str:
    """Return the name of an object: a crawl that is resumed gets a new one when it ends again."""
    return f"comparison/{what}-{crawl.resumes}.msgpack"
