"""What crawls have cost in a month."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Spending(Protocol):
    """Sums of dollars by month, of each tenant and of all together. Contract: tests/contract/test_spending.py."""

    def charge(self, crawl: CrawlId, usd: float, *, month: str) -> None:
        """Add what a crawl has cost since it was charged last. `usd`: its cost since its start.

        Repeated calls add nothing. If another process charges the crawl at the same time, one of the two counts; the
        next call adds the rest.
        """
        ...

    def spent(self, month: str, tenant: str = "") -> float:
        """Return what the crawls of a tenant, or of all, have cost in a month such as "2026-11", in dollars."""
        ...


class NoSpending:
    """The spending of one machine, where nothing is billed."""

    def charge(self, crawl: CrawlId, usd: float, *, month: str) -> None:
        """Charge nothing."""

    def spent(self, month: str, tenant: str = "") -> float:  # noqa: ARG002 - the port's signature
        """Return 0."""
        return 0.0
