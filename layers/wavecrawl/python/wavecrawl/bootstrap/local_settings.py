"""The settings of `wavecrawl serve`."""

from dataclasses import dataclass

from wavecrawl.application.wacz_package import MOST_MB

LOCAL_TENANT = "local"
"""The tenant of a data folder's own crawls and keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """`api.backend.ApiSettings` of one machine, and how its crawls are run."""

    base_url: str = "http://127.0.0.1:8787"  # of the API, as clients see it, without a slash at the end
    most_crawls: int = 2  # at the same time
    workers: int = 2  # processes per crawl
    wacz_mb: int = MOST_MB  # largest crawl.wacz, in MB; 0 = none is made
    tenant: str = LOCAL_TENANT
    contact: str = ""
    allowed_addresses: tuple[str, ...] = ()
    lease: float = 360.0
    max_body_bytes: int = 65_536
    requests_a_minute: int = 600
    cors_origins: tuple[str, ...] = ()


DEFAULTS = LocalSettings()
