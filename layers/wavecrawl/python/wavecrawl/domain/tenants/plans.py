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

_MIB = 1024 * 1024

MAXIMUMS: Mapping[str, float] = MappingProxyType(
    {
        "polite.in_flight": 10,
        "limits.max_bytes": 10 * _MIB,
        "limits.max_decoded_bytes": 20 * _MIB,
    }
)
"""Maximums of settings in all plans but `unlimited`, unless a tenant has its own.

A worker with 512 MB holds 10 bodies of 10 MiB and their decoded forms of 20 MiB in 300 MiB, and parses one at a time.
"""


def maximums_of(plan: Plan, own: Mapping[str, float]) -> dict[str, float]:
    """Return the maximums of settings for a tenant. `own` are those that the operator set for it."""
    return dict({} if plan is Plan.UNLIMITED else MAXIMUMS) | dict(own)
