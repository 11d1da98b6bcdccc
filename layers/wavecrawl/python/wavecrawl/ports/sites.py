"""Sites that a tenant crawls repeatedly."""

from typing import Protocol

import msgspec

from wavecrawl.domain.brand.brand import SetBrand
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.credentials import CredentialNames
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.defaulted import DEFAULTED


class SiteRow(msgspec.Struct, frozen=True, kw_only=True):
    """One site. Times are Unix seconds."""

    tenant: str
    site: str  # its id, `application.start_crawl.site_of`
    url: str  # start URL of its crawls
    name: str
    settings: CrawlSettings  # for its crawls, as given
    named: frozenset[str] = DEFAULTED  # the settings that were given; for others, those of the tenant apply
    schedule: Schedule = msgspec.field(default_factory=Schedule)  # that applies
    inherits_schedule: bool = False  # whether it is the default of the tenant, and changes with it
    brand: SetBrand = msgspec.field(default_factory=SetBrand)  # what a person set
    # The values are in `ports.credentials`.
    credentials: CredentialNames = msgspec.field(default_factory=CredentialNames)
    created_at: float = 0.0
    changed_at: float = 0.0
    version: int = 1  # increases with each change


class Sites(Protocol):
    """Site rows, without the lock, which belongs to `Crawls`. Contract: tests/contract/test_sites.py."""

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False without a change if its id exists or the tenant has `most` sites.

        The limit also holds for concurrent calls. None = no limit. Raise InvalidInputError if the site is too large for
        the store.
        """
        ...

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        ...

    def update(self, site: SiteRow) -> bool:
        """Replace the site if the stored version is one lower; return whether it was.

        Raise InvalidInputError as `create`.
        """
        ...

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site but not its crawls and results; return whether it existed."""
        ...

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id; if given, only those after `after`."""
        ...
