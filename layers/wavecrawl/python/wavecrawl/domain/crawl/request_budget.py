"""The requests of a crawl: how many URLs a wave may request, and how many requests each of them may send.

A wave is planned so that it cannot exceed what is left, whatever its URLs turn out to need. Each URL has at most the
same number of requests, so that the order in which workers send them does not matter.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from wavecrawl.domain.crawl.batching import PlannedBatch
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.urls.url import origin_of

A_PAGE = 3
"""Requests that are left free for a page: robots.txt, the page, a redirect."""

A_CHECK = 3
"""Requests that are left free for a checked URL or a media URL: robots.txt, HEAD, GET."""


def requested_origins(batches: Iterable[PlannedBatch]) -> frozenset[str]:
    """Return the origins of the URLs that the batches request."""
    requesting = (batch for batch in batches if batch.kind is not BatchKind.RENDER)
    return frozenset(origin_of(item.url) for batch in requesting for item in batch.items)


def with_requests(batches: tuple[PlannedBatch, ...], left: int) -> tuple[PlannedBatch, ...]:
    """Return the batches with the number of requests that each of their URLs may send, so that the sum is `left`."""
    urls = sum(len(batch.items) for batch in batches if batch.kind is not BatchKind.RENDER)
    most = max(1, left // urls) if urls else 0
    return tuple(batch if batch.kind is BatchKind.RENDER else replace(batch, requests=most) for batch in batches)
