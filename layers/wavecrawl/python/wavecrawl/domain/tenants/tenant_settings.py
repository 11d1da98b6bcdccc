"""The settings of a tenant: defaults for its sites and crawls."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.limits import FEWEST_PAGES, MOST_PAGES, NO_CEILING
from wavecrawl.domain.tenants.plans import CEILINGS, Plan
from wavecrawl.errors import InvalidSettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """Defaults of one tenant."""

    max_pages: int | None = None  # for crawls without one; None = the crawler's default, at most the plan's ceiling
    schedule: Schedule = field(default_factory=Schedule)  # for new sites

    def validated(self, plan: Plan) -> "TenantSettings":
        """Return self; raise InvalidSettingsError with all problems if a value is invalid."""
        problems = tuple(_problems(self, plan))
        if problems:
            raise InvalidSettingsError(problems)
        return self


def _problems(settings: TenantSettings, plan: Plan) -> Iterator[str]:
    most = max(MOST_PAGES, CEILINGS[plan].max_pages or NO_CEILING)
    if settings.max_pages is not None and not FEWEST_PAGES <= settings.max_pages <= most:
        yield f"max_pages must be between {FEWEST_PAGES} and {most:,}: {settings.max_pages!r}"
    try:
        settings.schedule.validated()
    except InvalidSettingsError as error:
        yield from error.problems
