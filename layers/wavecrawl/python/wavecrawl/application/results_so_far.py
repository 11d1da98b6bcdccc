"""Results of a crawl at any time: those made at its end, or those of its parts so far."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wavecrawl.application.results_inputs import facts_of, inputs_of
from wavecrawl.application.sitemap_listing import load_listing
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.analytics import AnalyticsInputs
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.live_results import SoFar
from wavecrawl.ports.parts import Table


def results_of(crawl: CrawlRow, ports: Ports, *, up_to: int | None = None) -> SoFar:
    """Return the results of a crawl; if it has none yet, or with `up_to`, those of its parts (up to that one)."""
    so_far = ports.live.so_far(crawl.id, up_to=up_to)
    if up_to is None and crawl.has_results:
        return SoFar(as_of_wave=None, results=ports.results, urls=so_far.urls)
    return so_far


def inputs_so_far(id_: CrawlId, parts: Mapping[Table, Sequence[Path]], folder: Path, ports: Ports) -> AnalyticsInputs:
    """Return the inputs of results from these parts; raise NotFoundError if the crawl does not exist."""
    crawl = ports.crawls.read(id_)
    if crawl is None:
        raise NotFoundError(f"crawl {id_.crawl} does not exist")
    facts = facts_of(crawl, status=crawl.status, stopped="", finished_at=crawl.finished_at or ports.clock.now())
    return inputs_of(facts, load_listing(ports.objects, id_), parts=parts, folder=folder)
