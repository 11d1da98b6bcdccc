"""The settings of a tenant: defaults for its sites and crawls."""

from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.crawl.setting_paths import with_values_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.defaulted import MAX_PAGES, MAX_VIDEO, MEDIA, MEDIA_INCLUDE, URLS
from wavecrawl.domain.tenants.limits import FEWEST_PAGES, MOST_PAGES, NO_CEILING
from wavecrawl.domain.tenants.plans import CEILINGS, Plan
from wavecrawl.errors import InvalidSettingsError


class TenantSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Defaults of one tenant. They apply to crawls and sites, existing ones too, that do not name the setting."""

    max_pages: int | None = None  # for crawls without one; None = the crawler's default, at most the plan's ceiling
    schedule: Schedule = msgspec.field(default_factory=Schedule)  # of sites that have none of their own
    include_media: bool | None = None  # whether media are stored; None = the crawler's default
    media_types: tuple[MediaGroup, ...] | None = None  # those that `include_media` stores; None = all
    max_video_mb: float | None = None  # None = the crawler's default
    settings: CrawlSettings = msgspec.field(default_factory=CrawlSettings)  # defaults of further settings of crawls
    named: frozenset[str] = frozenset()  # which of them are set, by path

    @property
    def media(self) -> Mapping[str, Any]:
        """The defaults for the group `media` of the settings of crawls, by name."""
        values: dict[str, Any] = {}
        if self.include_media is not None:
            values["include"] = (self.media_types or tuple(MediaGroup)) if self.include_media else ()
        if self.max_video_mb is not None:
            values["max_video_mb"] = self.max_video_mb
        return values

    @property
    def given(self) -> frozenset[str]:
        """The settings of crawls for which there is a default, by path."""
        return self._defaults()[1]

    def fill(self, settings: CrawlSettings, *, named: Collection[str]) -> CrawlSettings:
        """Return the settings of a crawl with these defaults for those that the crawl or its site does not set.

        They set those that are `named`, and any that differs from the crawler's default: of sites that were stored
        before a setting had defaults, the names are not known.
        """
        defaults, given = self._defaults()
        free = {path for path in given.difference(named) if _value(path, settings) == _value(path, _BUILT_IN)}
        return with_values_of(settings, defaults, free)

    def _defaults(self) -> tuple[CrawlSettings, frozenset[str]]:
        """Return all defaults for crawls, and which of them are set."""
        media = self.media
        settings = replace(
            self.settings,
            max_pages=self.settings.max_pages if self.max_pages is None else self.max_pages,
            media=replace(self.settings.media, **media),
        )
        pages = () if self.max_pages is None else (MAX_PAGES,)
        return settings, self.named.union(pages, (f"{MEDIA}.{name}" for name in media))

    def validated(self, plan: Plan) -> "TenantSettings":
        """Return self; raise InvalidSettingsError with all problems if a value is invalid."""
        problems = tuple(_problems(self, plan))
        if problems:
            raise InvalidSettingsError(problems)
        return self


_BUILT_IN = CrawlSettings()

_OWN_FIELDS = {MAX_PAGES: "max_pages", MEDIA_INCLUDE: "include_media and media_types", MAX_VIDEO: "max_video_mb"}
"""The settings of crawls that are fields of a tenant's settings."""


def _value(path: str, settings: CrawlSettings) -> object:
    return attrgetter(path)(settings)


def _problems(settings: TenantSettings, plan: Plan) -> Iterator[str]:
    most = max(MOST_PAGES, CEILINGS[plan].max_pages or NO_CEILING)
    if settings.max_pages is not None and not FEWEST_PAGES <= settings.max_pages <= most:
        yield f"max_pages must be between {FEWEST_PAGES} and {most:,}: {settings.max_pages!r}"
    try:
        settings.schedule.validated()
    except InvalidSettingsError as error:
        yield from error.problems
    for path in sorted(settings.named & _OWN_FIELDS.keys()):
        yield f"settings.{path} must be left out; set {_OWN_FIELDS[path]} of the tenant's settings instead"
    for name in URLS:
        if getattr(settings.settings, name):
            yield f"settings.{name} must be left out: a list of URLs belongs to one crawl or site"
