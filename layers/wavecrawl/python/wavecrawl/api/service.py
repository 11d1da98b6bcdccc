"""What the API works with: the same ports in the cloud and on one machine (design 5)."""

from typing import Protocol

from wavecrawl.application.start_site import Operator
from wavecrawl.ports.api_keys import ApiKeys
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.claims import Claims
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
from wavecrawl.ports.erasure import Erasure
from wavecrawl.ports.event_log import EventLog
from wavecrawl.ports.exports import Exports
from wavecrawl.ports.hidden_pages import HiddenPages
from wavecrawl.ports.launcher import Launcher
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.rate_limits import RateLimits
from wavecrawl.ports.repeats import Repeats
from wavecrawl.ports.results import Results
from wavecrawl.ports.schedules import Schedules
from wavecrawl.ports.sites import Sites
from wavecrawl.ports.tenants import Tenants
from wavecrawl.ports.webhooks import Webhooks


class ServiceSettings(Operator, Protocol):
    """What the operator decides, for the API too: `CloudSettings` in the cloud, `ServeSettings` on one machine."""

    @property
    def max_body_bytes(self) -> int:
        """The largest body of a request."""
        ...

    @property
    def requests_a_minute(self) -> int:
        """How many requests one key may send; all keys of a tenant have a few times as many."""
        ...

    @property
    def cors_origins(self) -> tuple[str, ...]:
        """Whose pages may call the API from a browser; "*" = everybody's."""
        ...


class Service(Protocol):
    """The ports of the API; `bootstrap.cloud.Cloud` and `bootstrap.serving.LocalService` are two of it.

    Whoever adds a port here adds it there.
    """

    @property
    def settings(self) -> ServiceSettings:
        """What the operator decided."""
        ...

    @property
    def operator_keys(self) -> tuple[str, ...]:
        """Keys of role admin that stand in the deployment's secret rather than in the table."""
        ...

    @property
    def signing_key(self) -> bytes:
        """The secret that cursors are signed with."""
        ...

    @property
    def clock(self) -> Clock: ...  # noqa: D102 - ports say what they are

    @property
    def crawls(self) -> Crawls: ...  # noqa: D102

    @property
    def erasure(self) -> Erasure: ...  # noqa: D102

    @property
    def waves(self) -> Waves: ...  # noqa: D102

    @property
    def batches(self) -> Batches: ...  # noqa: D102

    @property
    def claims(self) -> Claims: ...  # noqa: D102

    @property
    def archive(self) -> Archive: ...  # noqa: D102

    @property
    def memories(self) -> PageMemories: ...  # noqa: D102

    @property
    def hidden(self) -> HiddenPages: ...  # noqa: D102

    @property
    def results(self) -> Results: ...  # noqa: D102

    @property
    def exports(self) -> Exports: ...  # noqa: D102

    @property
    def launcher(self) -> Launcher: ...  # noqa: D102

    @property
    def tenants(self) -> Tenants: ...  # noqa: D102

    @property
    def keys(self) -> ApiKeys: ...  # noqa: D102

    @property
    def rate_limits(self) -> RateLimits: ...  # noqa: D102

    @property
    def repeats(self) -> Repeats: ...  # noqa: D102

    @property
    def sites(self) -> Sites: ...  # noqa: D102

    @property
    def schedules(self) -> Schedules: ...  # noqa: D102

    @property
    def event_log(self) -> EventLog: ...  # noqa: D102

    @property
    def webhooks(self) -> Webhooks: ...  # noqa: D102

    @property
    def deliveries(self) -> Deliveries: ...  # noqa: D102

    @property
    def deliveries_queue(self) -> DeliveryQueue: ...  # noqa: D102
