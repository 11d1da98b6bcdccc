"""Crawls and the locks of their sites."""

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger


class CrawlRow(msgspec.Struct, frozen=True, kw_only=True):
    """One crawl. Times are Unix seconds."""

    id: CrawlId
    start_url: str  # as given
    root_url: str  # after redirects; "" until open_crawl has resolved them
    settings: CrawlSettings  # without `urls`, which `application.url_list` stores
    status: CrawlStatus = CrawlStatus.RUNNING
    cancel_asked: bool = False
    started_at: float = 0.0
    finished_at: float = 0.0
    error: str = ""
    queued_at: float = 0.0  # since when a queued crawl waits
    waited: float = 0.0  # seconds from the start until now in which the crawl was queued or had ended
    resumes: int = 0  # how often the crawl was resumed after its end
    outcome: CrawlOutcome | None = None  # of its latest results; None = there are none
    authenticated: bool = False  # whether the site had credentials when the crawl started
    opening_requests: int = 0  # that were sent to find the root URL, without those for robots.txt
    # host -> Unix seconds; `Retry-After` of the current wave.
    pauses: dict[str, float] = msgspec.field(default_factory=dict)
    triggered_by: Trigger | None = None  # what started it first; None if it was stored before this was known

    @property
    def has_results(self) -> bool:
        """Whether results were made of the crawl: not if it failed, or was cancelled while it was queued."""
        return self.status.has_ended and self.status is not CrawlStatus.FAILED and bool(self.root_url)

    def seconds(self, now: float) -> float:
        """Return how long the crawl has run until `now`, or until its end. Time in the queue does not count."""
        until = self.queued_at if self.status is CrawlStatus.QUEUED else self.finished_at or now
        return max(0.0, until - self.started_at - self.waited)

    def queued_again(self) -> "CrawlRow":
        """Return the row of a crawl that ended and was resumed."""
        return replace(
            self,
            status=CrawlStatus.QUEUED,
            cancel_asked=False,
            queued_at=self.finished_at,
            finished_at=0.0,
            error="",
            resumes=self.resumes + 1,
        )


RESUMABLE: Final = (CrawlStatus.FAILED, CrawlStatus.CANCELLED)
"""Statuses of crawls that can be resumed."""


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """The number of crawls that a tenant may start in a month."""

    month: str  # such as "2026-11"
    limit: int | None  # at least 1; None = counted but not limited


class UsedUp(msgspec.Struct, frozen=True, kw_only=True):
    """The tenant has started as many crawls as its quota allows."""

    quota: Quota


class Crawls(Protocol):
    """Crawl rows; at most one queued or running crawl per site. Contract: tests/contract/test_crawls.py."""

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a queued or running crawl, take its site's lock and count the crawl in its tenant's month, at once.

        Return None on success. Otherwise change nothing and return the id of the crawl that holds the lock, the
        crawl's own id if it already exists in any status, or else UsedUp. Without a quota nothing is counted. Raise
        InvalidInputError if the crawl is too large for the store.
        """
        ...

    def queue(self, tenant: str) -> list[CrawlId]:
        """Return the tenant's crawls that wait for `launched`, by id: the oldest first, at most 100."""
        ...

    def admit(self, id_: CrawlId, *, most: int, now: float) -> CrawlStatus | None:
        """Set a queued crawl to `running` if fewer than `most` crawls of its tenant are; return its status then.

        Return None if the crawl does not exist. A crawl that is not queued stays as it is.
        """
        ...

    def launched(self, id_: CrawlId, *, resumes: int) -> None:
        """Remove a crawl from `queue` after it was started.

        `resumes`: how often it had been resumed when it was started. If it was resumed again since then, it stays in
        the queue.
        """
        ...

    def resume(self, id_: CrawlId) -> str | CrawlStatus | None:
        """Set a failed or cancelled crawl to `queued`, with its site's lock, as `create` does. Nothing is counted.

        Return None on success. Otherwise change nothing and return the crawl's status if that is another one, or the
        id of the crawl that holds the lock. Raise NotFoundError if the crawl does not exist.
        """
        ...

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        ...

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, of any site, or None."""
        ...

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, highest (newest) first; if given, only ids below `before`."""
        ...

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls in the order of `of_tenant`."""
        ...

    def of_sites(self, tenant: str, sites: Sequence[str], *, limit: int) -> list[list[CrawlRow]]:
        """Return the newest crawls of each of the tenant's sites, at most `limit` per site, as `of_site` does."""
        ...

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of an ended crawl; it still counts towards the quota."""
        ...

    def settle_root(self, id_: CrawlId, root_url: str, *, requests: int = 0) -> None:
        """Store the root URL after redirects, and the number of requests that it took."""
        ...

    def note_outcome(self, id_: CrawlId, outcome: CrawlOutcome) -> None:
        """Store the figures of the crawl's results. Change nothing if the crawl does not exist."""
        ...

    def note_pauses(self, id_: CrawlId, pauses: dict[str, float]) -> None:
        """Store `CrawlRow.pauses`, for the other workers of the crawl. Change nothing if the crawl does not exist."""
        ...

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Request a crawl to stop; return False without a change if it has ended or does not exist."""
        ...

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Set the crawl's final status, free its site's lock, and make room for another crawl, in one transaction.

        Return whether this call ended the crawl: a final status never changes. Repeated calls change nothing.
        """
        ...
