"""The settings of a tenant: what its sites and crawls start from, unless they say otherwise (spec [35])."""

from dataclasses import dataclass, field

from wavecrawl.domain.schedule import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """Defaults of one tenant."""

    max_pages: int | None = None  # of a crawl that names none; None = the crawler's own default, or the plan's ceiling
    schedule: Schedule = field(default_factory=Schedule)  # of a new site
