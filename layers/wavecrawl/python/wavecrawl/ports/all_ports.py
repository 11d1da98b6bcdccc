"""The set of all ports, which every installation provides."""
# ruff: noqa: D102 - the classes of the ports have the docstrings

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a crawl must not import the ports that it does not use
    from wavecrawl.ports.api_keys import ApiKeys
    from wavecrawl.ports.archive import Archive
    from wavecrawl.ports.batches import Batches, Waves
    from wavecrawl.ports.claims import Claims
    from wavecrawl.ports.clock import Clock
    from wavecrawl.ports.controls import Controls
    from wavecrawl.ports.crawls import Crawls
    from wavecrawl.ports.credentials import Credentials
    from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
    from wavecrawl.ports.erasure import Erasure
    from wavecrawl.ports.event_log import EventLog
    from wavecrawl.ports.events import Events
    from wavecrawl.ports.exports import Exports
    from wavecrawl.ports.hidden_pages import HiddenPages
    from wavecrawl.ports.host_gate import HostGate
    from wavecrawl.ports.knowledge import IndexRemovals, IndexRequests, KnowledgePorts
    from wavecrawl.ports.launcher import Launcher
    from wavecrawl.ports.live_results import LiveResults
    from wavecrawl.ports.media_assets import MediaAssets
    from wavecrawl.ports.meter import Meter
    from wavecrawl.ports.objects import Objects
    from wavecrawl.ports.page_memories import PageMemories
    from wavecrawl.ports.parts import Parts
    from wavecrawl.ports.rate_limits import RateLimits
    from wavecrawl.ports.repeats import Repeats
    from wavecrawl.ports.results import Results
    from wavecrawl.ports.robots_cache import RobotsCache
    from wavecrawl.ports.schedules import Schedules
    from wavecrawl.ports.screenshots import Screenshots
    from wavecrawl.ports.sites import Sites
    from wavecrawl.ports.spending import Spending
    from wavecrawl.ports.tenants import Tenants
    from wavecrawl.ports.url_lists import UrlLists
    from wavecrawl.ports.webhooks import Webhooks


class Ports(Protocol):
    """Every port of an installation: `bootstrap.cloud.Cloud`, `bootstrap.store.LocalStore`.

    Queue and signals of a crawl's workers are not among them: on one machine they are those of its worker pool.
    """

    @property
    def clock(self) -> "Clock": ...

    @property
    def meter(self) -> "Meter": ...

    @property
    def crawls(self) -> "Crawls": ...

    @property
    def waves(self) -> "Waves": ...

    @property
    def batches(self) -> "Batches": ...

    @property
    def claims(self) -> "Claims": ...

    @property
    def memories(self) -> "PageMemories": ...

    @property
    def media_memories(self) -> "PageMemories": ...

    @property
    def hosts(self) -> "HostGate": ...

    @property
    def robots(self) -> "RobotsCache": ...

    @property
    def objects(self) -> "Objects": ...

    @property
    def archive(self) -> "Archive": ...

    @property
    def screenshots(self) -> "Screenshots": ...

    @property
    def media(self) -> "MediaAssets": ...

    @property
    def parts(self) -> "Parts": ...

    @property
    def exports(self) -> "Exports": ...

    @property
    def results(self) -> "Results": ...

    @property
    def live(self) -> "LiveResults": ...

    @property
    def hidden(self) -> "HiddenPages": ...

    @property
    def erasure(self) -> "Erasure": ...

    @property
    def event_log(self) -> "EventLog": ...

    @property
    def events(self) -> "Events": ...

    @property
    def knowledge(self) -> "KnowledgePorts | None": ...

    @property
    def index_removals(self) -> "IndexRemovals | None": ...

    @property
    def index_requests(self) -> "IndexRequests | None": ...

    @property
    def launcher(self) -> "Launcher": ...

    @property
    def sites(self) -> "Sites": ...

    @property
    def credentials(self) -> "Credentials": ...

    @property
    def schedules(self) -> "Schedules": ...

    @property
    def url_lists(self) -> "UrlLists": ...

    @property
    def tenants(self) -> "Tenants": ...

    @property
    def controls(self) -> "Controls": ...

    @property
    def spending(self) -> "Spending": ...

    @property
    def keys(self) -> "ApiKeys": ...

    @property
    def rate_limits(self) -> "RateLimits": ...

    @property
    def repeats(self) -> "Repeats": ...

    @property
    def webhooks(self) -> "Webhooks": ...

    @property
    def deliveries(self) -> "Deliveries": ...

    @property
    def deliveries_queue(self) -> "DeliveryQueue": ...
