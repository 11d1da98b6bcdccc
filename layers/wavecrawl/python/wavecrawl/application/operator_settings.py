"""The settings of a deployment that its operator chooses, in the cloud and on one machine."""

from typing import Annotated

import msgspec
from msgspec import Meta

from wavecrawl.domain.tenants.limits import MOST_RUNNING


class OperatorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that hold for every crawl and every request to the API. Numbers have the range of their values."""

    tenant: str = "default"  # the deployment's own tenant
    contact: str = ""  # URL or e-mail address in the User-Agent of every crawl
    allowed_addresses: tuple[str, ...] = ()  # non-public networks that crawls may request, as CIDR
    lease: Annotated[float, Meta(ge=1, le=43_200)] = 360.0  # seconds that a worker owns a batch
    wacz_mb: Annotated[int, Meta(ge=0, le=4_096)] = 512  # largest crawl.wacz, in MB; 0 = none is made
    max_body_bytes: Annotated[int, Meta(ge=1_024, le=1_048_576)] = 65_536  # of a request
    max_list_urls: Annotated[int, Meta(ge=1, le=1_000_000)] = 1_000_000  # of an uploaded list; a plan may allow fewer
    max_list_mb: Annotated[int, Meta(ge=1, le=500)] = 100  # of the text of an uploaded list, and of the upload
    requests_a_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 600  # per API key; per tenant `KEYS_WORTH` times
    wrong_keys_a_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 60  # without a valid key, per address
    max_running_crawls: Annotated[int, Meta(ge=1, le=MOST_RUNNING)] = 20  # per tenant without a limit of its own
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
