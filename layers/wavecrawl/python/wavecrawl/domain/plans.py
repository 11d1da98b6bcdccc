"""Plans: how much of the service a tenant may use (spec [6])."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Plan(StrEnum):
    """What a tenant has booked."""

    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ADVANCED = "advanced"
    PREMIUM = "premium"
    UNLIMITED = "unlimited"  # the operator's own crawls


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """The most a plan allows. None = no limit."""

    max_pages: int | None  # of one crawl
    crawls_a_month: int | None  # calendar months, UTC


CEILINGS: Mapping[Plan, Ceilings] = MappingProxyType(
    {
        Plan.FREE: Ceilings(max_pages=50, crawls_a_month=5),
        Plan.STARTER: Ceilings(max_pages=200, crawls_a_month=20),
        Plan.PRO: Ceilings(max_pages=1_000, crawls_a_month=None),
        Plan.ADVANCED: Ceilings(max_pages=5_000, crawls_a_month=None),
        Plan.PREMIUM: Ceilings(max_pages=25_000, crawls_a_month=None),
        Plan.UNLIMITED: Ceilings(max_pages=None, crawls_a_month=None),
    }
)
