"""Sites: what a tenant crawls again and again."""

from dataclasses import dataclass, field
from typing import Protocol

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.schedule import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRow:
    """One site. Times are Unix seconds."""

    tenant: str
    site: str  # its id, `application.start_crawl.site_of`
    url: str  # where its crawls start
    name: str
    settings: CrawlSettings  # of its crawls, as the tenant gave them
    pages_named: bool = True  # whether the tenant gave a page limit; otherwise its own applies, and its plan's
    schedule: Schedule = field(default_factory=Schedule)
    created_at: float = 0.0
    changed_at: float = 0.0
    version: int = 1  # one higher with each change


class Sites(Protocol):
    """Site rows, beside the lock that `Crawls` keeps. Contract: tests/contract/test_sites.py."""

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False, with nothing changed, where the tenant has one of that id, or `most` of all.

        However many ask at once, a tenant never has more than that. None = no limit.
        """
        ...

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        ...

    def update(self, site: SiteRow) -> bool:
        """Replace the site whose version is one lower; return False where that is not so."""
        ...

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site; its crawls and their results stay. Return whether there was one."""
        ...

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id; where given, only those after `after`."""
        ...
