"""Crawls and the lock of their site."""

from dataclasses import dataclass
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRow:
    """One crawl. Times are Unix seconds."""

    id: CrawlId
    start_url: str  # as given
    root_url: str  # after its own redirects; "" until open_crawl has settled them
    settings: CrawlSettings
    status: CrawlStatus = CrawlStatus.RUNNING
    cancel_asked: bool = False
    started_at: float = 0.0
    finished_at: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many crawls the tenant may start in a month."""

    month: str  # such as "2026-11"
    limit: int | None  # 1 or more; None = counted, never refused


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedUp:
    """The tenant has started as many crawls as its quota allows."""

    quota: Quota


class Crawls(Protocol):
    """Crawl rows; at most one running crawl per site. Contract: tests/contract/test_crawls.py."""

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a crawl, take its site's lock, and count the crawl in its tenant's month, in one step.

        Return None, or, with nothing changed and nothing counted: the id of the crawl that holds the lock; this very
        crawl's own id where it exists already, whatever became of it; UsedUp where neither is so, and the month is
        used up. Without a quota nothing is counted.
        """
        ...

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        ...

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, whatever its site, or None."""
        ...

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, from the highest (newest) down; where given, only ids below `before`."""
        ...

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls, as `of_tenant` does."""
        ...

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of a crawl that has ended; its quota stays used."""
        ...

    def settle_root(self, id_: CrawlId, root_url: str) -> None:
        """Write down the root URL after its redirects."""
        ...

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Ask a running crawl to stop; return whether one was running."""
        ...

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Give the crawl its final status and free its site's lock, if it holds it.

        Return whether this call ended it: a status that is final stays. Doing so again changes nothing.
        """
        ...
