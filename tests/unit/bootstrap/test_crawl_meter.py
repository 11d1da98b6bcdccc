from dataclasses import dataclass, field

from wavecrawl.cloud.crawl_meter import CrawlMeter
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId

ONE, OTHER = (CrawlId(tenant="t", site="s", crawl=name) for name in ("one", "other"))


@dataclass(slots=True)
class Tolls:
    """A meter with scripted usage."""

    used: Usage = field(default_factory=Usage)

    def take(self) -> Usage:
        taken, self.used = self.used, Usage()
        return taken


def test_what_is_used_after_a_batch_waits_for_the_next_of_its_crawl() -> None:
    tolls = Tolls()
    meter = CrawlMeter(tolls)
    meter.begin(ONE)
    tolls.used = Usage(gets=1.0)
    assert meter.take() == Usage(gets=1.0)
    tolls.used = Usage(gets=2.0)
    assert meter.end(is_stored=True) == Usage()

    meter.begin(OTHER)
    tolls.used = Usage(gets=4.0)
    assert meter.take() == Usage(gets=4.0)
    assert meter.end(is_stored=True) == Usage()

    meter.begin(ONE)
    assert meter.take() == Usage(gets=2.0)


def test_all_that_a_failed_batch_used_is_to_be_stored_yet() -> None:
    tolls = Tolls()
    meter = CrawlMeter(tolls)
    meter.begin(ONE)
    tolls.used = Usage(gets=1.0)
    before = meter.has_taken
    meter.take()
    assert (before, meter.has_taken) == (False, True)
    tolls.used = Usage(gets=2.0)
    assert meter.end(is_stored=False) == Usage(gets=3.0)

    meter.begin(ONE)
    assert meter.end(is_stored=False) == Usage()


def test_the_number_of_kept_crawls_is_limited() -> None:
    tolls = Tolls()
    meter = CrawlMeter(tolls)
    for number in range(100):
        meter.begin(CrawlId(tenant="t", site="s", crawl=f"c{number}"))
        tolls.used = Usage(gets=1.0)
        meter.end(is_stored=True)
    for crawl, expected in (("c0", Usage()), ("c99", Usage(gets=1.0))):
        meter.begin(CrawlId(tenant="t", site="s", crawl=crawl))
        assert meter.take() == expected


def test_usage_without_a_crawl_is_not_charged() -> None:
    meter = CrawlMeter(Tolls(Usage(gets=1.0)))
    assert meter.end(is_stored=True) == Usage()
