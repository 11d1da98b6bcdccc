"""The settings of a deployment that its operator chooses, in the cloud and on one machine."""

from dataclasses import dataclass, field
from typing import Any

from wavecrawl.domain.tenants.limits import MOST_RUNNING


def number(default: float, *, low: float, high: float) -> Any:
    """Return a numeric field with the range of its values."""
    return field(default=default, metadata={"range": (low, high)})


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """The settings that hold for every crawl and every request to the API."""

    tenant: str = "default"  # the deployment's own tenant
    contact: str = ""  # URL or e-mail address in the User-Agent of every crawl
    allowed_addresses: tuple[str, ...] = ()  # non-public networks that crawls may request, as CIDR
    lease: float = number(360.0, low=1, high=43_200)  # seconds that a worker owns a batch
    wacz_mb: int = number(512, low=0, high=4_096)  # largest crawl.wacz, in MB; 0 = none is made
    max_body_bytes: int = number(65_536, low=1_024, high=1_048_576)  # of a request
    max_list_urls: int = number(1_000_000, low=1, high=1_000_000)  # of an uploaded list; a plan may allow fewer
    max_list_mb: int = number(100, low=1, high=500)  # of the text of an uploaded list, and of the upload
    requests_a_minute: int = number(600, low=1, high=1_000_000)  # per API key; `KEYS_WORTH` times as many per tenant
    wrong_keys_a_minute: int = number(60, low=1, high=1_000_000)  # requests without a valid key, per network address
    max_running_crawls: int = number(20, low=1, high=MOST_RUNNING)  # per tenant, unless the tenant has its own limit
    cors_origins: tuple[str, ...] = ()  # origins whose pages may call the API; "*" = all. In AWS, API Gateway has them

    @property
    def costs_money(self) -> bool:
        """Whether crawls have a cost that `budget_usd` can limit."""
        return True

    @property
    def needs_contact(self) -> bool:
        """Whether crawls of public sites need a contact. On one machine, the command line recommends one."""
        return False

    @property
    def renders(self) -> bool:
        """Whether crawls that need a browser may be requested. On one machine, they look for it when they start."""
        return True

    @property
    def stores_media(self) -> bool:
        """Whether crawls that store media may be requested. On one machine, they look for it when they start."""
        return True
