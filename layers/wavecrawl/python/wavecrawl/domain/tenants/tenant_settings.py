"""The settings of a tenant: defaults for its sites and crawls."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.defaulted import MAX_PAGES, MEDIA
from wavecrawl.domain.tenants.limits import FEWEST_PAGES, MOST_PAGES, NO_CEILING
from wavecrawl.domain.tenants.plans import CEILINGS, Plan
from wavecrawl.errors import InvalidSettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """Defaults of one tenant. They apply to crawls and sites, existing ones too, that do not name the setting."""

    max_pages: int | None = None  # for crawls without one; None = the crawler's default, at most the plan's ceiling
    schedule: Schedule = field(default_factory=Schedule)  # for new sites
    include_media: bool | None = None  # whether media are stored; None = the crawler's default
    media_types: tuple[MediaGroup, ...] | None = None  # those that `include_media` stores; None = all
    max_video_mb: float | None = None  # None = the crawler's default

    @property
    def media(self) -> Mapping[str, Any]:
        """The defaults for the group `media` of the settings of crawls, by name."""
        values: dict[str, Any] = {}
        if self.include_media is not None:
            values["include"] = (self.media_types or tuple(MediaGroup)) if self.include_media else ()
        if self.max_video_mb is not None:
            values["max_video_mb"] = self.max_video_mb
        return values

    def fill(self, settings: CrawlSettings, *, named: Collection[str]) -> CrawlSettings:
        """Return the settings of a crawl with these defaults for those of `DEFAULTED` that are not `named`."""
        media = {name: value for name, value in self.media.items() if f"{MEDIA}.{name}" not in named}
        pages = settings.max_pages if MAX_PAGES in named or self.max_pages is None else self.max_pages
        return replace(settings, max_pages=pages, media=replace(settings.media, **media))

    def validated(self, plan: Plan) -> "TenantSettings":
        """Return self; raise InvalidSettingsError with all problems if the page limit or the schedule is invalid."""
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
