"""Lines of the log about single URLs."""

from hashlib import blake2b

import pytest

from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import Link, PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.url_log import is_logged, url_fields
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region

KEYS = [blake2b(str(number).encode(), digest_size=16).hexdigest() for number in range(10_000)]


@pytest.mark.parametrize(
    ("share", "least", "most"), [(0.0, 0, 0), (0.01, 60, 140), (0.5, 4_800, 5_200), (1.0, 10_000, 10_000)]
)
def test_the_logged_urls_are_the_given_share(share: float, least: int, most: int) -> None:
    assert least <= sum(is_logged(key, share) for key in KEYS) <= most


def test_a_larger_share_contains_the_urls_of_a_smaller_one() -> None:
    assert {key for key in KEYS if is_logged(key, 0.01)} <= {key for key in KEYS if is_logged(key, 0.1)}


def test_a_line_says_what_became_of_the_url() -> None:
    record = PageRecord(
        key=KEYS[0], url="https://example.com/a", depth=2, state=UrlState.DEFERRED, reason=Reason.STATUS, tries=1,
        status=503, bytes=7, elapsed=0.25,
    )  # fmt: skip
    batch = BatchId(crawl=CrawlId(tenant="t", site="s", crawl="c"), wave=3, batch=4)
    assert url_fields(record, batch, processing=0.5) == {
        "crawl": "t/s/c",
        "wave": 3,
        "batch": 4,
        "url": "https://example.com/a",
        "state": "deferred",
        "reason": "status",
        "status": 503,
        "tries": 1,
        "depth": 2,
        "bytes": 7,
        "text_hash": None,
        "links": None,
        "fetch_seconds": 0.25,
        "processing_seconds": 0.5,
    }


def test_a_line_of_a_page_has_its_text_hash_and_its_number_of_links() -> None:
    kinds = (LinkKind.CANONICAL, LinkKind.ANCHOR, LinkKind.ANCHOR, LinkKind.ALTERNATE)
    links = tuple(
        Link(key=key, url=f"https://example.com/{key}", kind=kind, region=Region.MAIN)
        for key, kind in zip(KEYS[1:], kinds, strict=False)
    )
    record = PageRecord(
        key=KEYS[0], url="https://example.com/a", depth=2, state=UrlState.FETCHED, links=links,
        facts=PageFacts(text_hash="0a1b"),
    )  # fmt: skip
    batch = BatchId(crawl=CrawlId(tenant="t", site="s", crawl="c"), wave=3, batch=4)
    fields = url_fields(record, batch, processing=0.5)
    assert (fields["text_hash"], fields["links"]) == ("0a1b", 3)
