"""What the API works with: the same ports in the cloud and on one machine (design 5)."""

from dataclasses import dataclass
from typing import Protocol

from wavecrawl.ports.api_keys import ApiKeys
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.event_log import EventLog
from wavecrawl.ports.launcher import Launcher
from wavecrawl.ports.rate_limits import RateLimits
from wavecrawl.ports.repeats import Repeats
from wavecrawl.ports.schedules import Schedules
from wavecrawl.ports.sites import Sites
from wavecrawl.ports.tenants import Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What the operator decides for the API."""

    tenant: str = "default"  # whose the operator's own keys are
    contact: str = ""  # named in the User-Agent of every crawl
    allowed_addresses: tuple[str, ...] = ()  # networks outside the public internet that crawls may request, as CIDR
    lease: float = 360.0  # seconds a batch is owned before somebody else may take it over
    max_body_bytes: int = 65_536  # of a request
    requests_a_minute: int = 600  # of one key
    cors_origins: tuple[str, ...] = ()  # whose pages may call the API from a browser; "*" = everybody's


class Service(Protocol):
    """The ports of the API; `bootstrap.cloud.Cloud` and `bootstrap.serving.LocalService` are two of it."""

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
