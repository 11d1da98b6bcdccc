"""What the crawls of this service measured since it started."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.embedded.measure_reports import MeasureReport
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.measures import Measures

MOST_CRAWLS: Final = 50
"""Crawls whose measures are kept, those that reported last. Each is a value of a label, and every value is a series."""

MOST_HOSTS: Final = 20
"""Hosts of a crawl with measures of their own. All others are added up as host `other`."""

OTHER: Final = "other"

_DECODER = msgspec.json.Decoder(MeasureReport)


class CrawlMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of one crawl."""

    hosts: Mapping[str, Measures] = msgspec.field(default_factory=dict)
    itself: Measures = msgspec.field(default_factory=Measures)  # what belongs to no host
    duplicates: Mapping[str, int] = msgspec.field(default_factory=dict)  # of an ended crawl, by kind
    objectives: Mapping[str, float] = msgspec.field(default_factory=dict)  # of an ended crawl, by name
    denied: int = 0  # URLs so far that robots.txt denies


class LiveMeasures:
    """Adds up the reports of crawls. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._crawls: OrderedDict[CrawlId, CrawlMeasures] = OrderedDict()
        self._total = CrawlMeasures()

    def add(self, crawl: CrawlId, text: bytes) -> None:
        """Add a report. One that is malformed is ignored: libraries may print to the same pipe."""
        try:
            report = _DECODER.decode(text)
        except msgspec.DecodeError:
            return
        with self._lock:
            before = self._crawls.pop(crawl, CrawlMeasures())
            self._crawls[crawl] = now = _with(before, report)
            self._total = replace(
                self._total,
                itself=self._total.itself + report.measures,
                denied=self._total.denied + max(0, now.denied - before.denied),
            )
            while len(self._crawls) > MOST_CRAWLS:
                self._crawls.popitem(last=False)

    def total(self) -> CrawlMeasures:
        """Return the sums over all crawls, also those that are no longer kept. They belong to no host."""
        with self._lock:
            return self._total

    def all(self) -> dict[CrawlId, CrawlMeasures]:
        """Return the measures of each crawl, the last report last."""
        with self._lock:
            return dict(self._crawls)


def _with(known: CrawlMeasures, report: MeasureReport) -> CrawlMeasures:
    known = replace(
        known,
        duplicates=known.duplicates if report.duplicates is None else report.duplicates,
        objectives=known.objectives if report.objectives is None else report.objectives,
        denied=known.denied if report.denied is None else report.denied,
    )
    if not report.host:
        return replace(known, itself=known.itself + report.measures)
    host = report.host if report.host in known.hosts or len(known.hosts) < MOST_HOSTS else OTHER
    return replace(known, hosts={**known.hosts, host: known.hosts.get(host, Measures()) + report.measures})
