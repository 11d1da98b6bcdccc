"""What `fetch_batch` uses: its ports, and what all batches of a crawl share in one process."""

from collections.abc import Callable

from msgspec import Struct, field

from wavecrawl.application.check_url import UrlChecker
from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.fetch_resource import ResourceFetcher
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.application.throttle import Throttle
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.sender import Sender
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.claims import Claims
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.meter import Meter
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.page_parser import PageParser
from wavecrawl.ports.signals import Signals


class WorkerPorts(Struct, frozen=True, kw_only=True):
    """The ports, the rules of the crawl, and what its batches share. Built once per process and crawl."""

    batches: Batches
    waves: Waves
    claims: Claims
    archive: Archive
    signals: Signals
    clock: Clock
    throttle: Throttle
    pages: PageFetcher
    checker: UrlChecker
    resources: ResourceFetcher
    settings: CrawlSettings
    meter: Meter
    stop: StopSignal
    owner: str  # the name of this process in its leases
    sender: Sender = field(default_factory=Sender)  # as whom hosts see the requests
    watch: Callable[[PageRecord], None]  # called with every record, as it is stored
    watch_rendered: Callable[[PageRecord], None] = lambda _: None  # called with those of render batches instead
    watch_media: Callable[[PageRecord], None] = lambda _: None  # called with those of media batches instead
    watch_check: Callable[[PageRecord], None] = lambda _: None  # called with those of check batches instead
    measure: Callable[[PageRecord, float], None] = lambda _, __: None  # called with every record, and its CPU seconds
    on_takeover: Callable[[], None] = lambda: None  # called if the batch's last lease expired before it was done


def worker_ports(
    crawl: CrawlRow,
    ports: Ports,
    client: PageClient,
    *,
    signals: Signals,
    owner: str,
    watch: Callable[[PageRecord], None],
    watch_rendered: Callable[[PageRecord], None] = lambda _: None,
    watch_media: Callable[[PageRecord], None] = lambda _: None,
    watch_check: Callable[[PageRecord], None] = lambda _: None,
    measure: Callable[[PageRecord, float], None] = lambda _, __: None,
    meter: Meter | None = None,
    on_takeover: Callable[[], None] = lambda: None,
    parser: PageParser | None = None,
) -> WorkerPorts:
    """Return the worker's ports for a crawl whose root URL is known.

    `meter` replaces `ports.meter` if given. Without a `parser`, pages are read in this process without a budget.
    """
    rules = site_rules(crawl, client=client, cache=ports.robots, clock=ports.clock)
    stop = StopSignal(crawl, ports.crawls, ports.waves, ports.clock)
    pages = PageFetcher(
        client=client,
        links=rules.links,
        media=rules.media,
        robots=rules.robots,
        archive=ports.archive,
        settings=crawl.settings,
        root=rules.root.key,
        parser=parser,
    )
    requests = OutsideRequests(robots=rules.robots, clock=ports.clock, settings=crawl.settings)
    return WorkerPorts(
        batches=ports.batches,
        waves=ports.waves,
        claims=ports.claims,
        archive=ports.archive,
        signals=signals,
        clock=ports.clock,
        throttle=Throttle(ports.clock),
        pages=pages,
        checker=UrlChecker(client=client, requests=requests, settings=crawl.settings, media=rules.media),
        resources=ResourceFetcher(
            client=client,
            requests=requests,
            media=rules.media,
            record_at=ports.archive.record_at,
            settings=crawl.settings,
        ),
        settings=crawl.settings,
        meter=meter or ports.meter,
        stop=stop,
        owner=owner,
        sender=rules.sender,
        watch=watch,
        watch_rendered=watch_rendered,
        watch_media=watch_media,
        watch_check=watch_check,
        measure=measure,
        on_takeover=on_takeover,
    )
