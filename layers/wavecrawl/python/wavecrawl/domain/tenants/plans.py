"""Plans and their limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Plan(StrEnum):
    """Plan of a tenant. `unlimited` is for the crawls of the operator."""

    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ADVANCED = "advanced"
    PREMIUM = "premium"
    UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """The limits of a plan. None = no limit."""

    max_pages: int | None  # per crawl
    max_tries: int | None  # per crawl
    budget_usd: float | None  # per crawl; much more than a normal crawl costs
    crawls_a_month: int | None  # per calendar month, UTC
    max_sites: int | None  # saved sites


CEILINGS: Mapping[Plan, Ceilings] = MappingProxyType(
    {
        Plan.FREE: Ceilings(max_pages=50, max_tries=500, budget_usd=0.05, crawls_a_month=5, max_sites=5),
        Plan.STARTER: Ceilings(max_pages=200, max_tries=2_000, budget_usd=0.2, crawls_a_month=20, max_sites=20),
        Plan.PRO: Ceilings(max_pages=1_000, max_tries=10_000, budget_usd=1.0, crawls_a_month=None, max_sites=100),
        Plan.ADVANCED: Ceilings(max_pages=5_000, max_tries=50_000, budget_usd=5.0, crawls_a_month=None, max_sites=500),
        Plan.PREMIUM: Ceilings(
            max_pages=25_000, max_tries=250_000, budget_usd=25.0, crawls_a_month=None, max_sites=2_500
        ),
        Plan.UNLIMITED: Ceilings(max_pages=None, max_tries=None, budget_usd=None, crawls_a_month=None, max_sites=None),
    }
)
