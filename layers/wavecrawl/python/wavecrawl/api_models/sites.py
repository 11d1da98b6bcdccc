"""Saved sites: requests and responses."""

from pydantic import Field

from wavecrawl.api_models.brand import BrandValues
from wavecrawl.api_models.crawls import SiteCrawl
from wavecrawl.api_models.schedules import Schedule, SiteSchedule
from wavecrawl.api_models.settings import CrawlSettings, RequestedSettings
from wavecrawl.api_models.types import LONGEST_URL, Flag, NextCursor, RequestModel, ResponseModel, Timestamp

_LONGEST_NAME = 200


class NewSite(RequestModel):
    """A site to create."""

    url: str = Field(
        min_length=1,
        max_length=LONGEST_URL,
        description="Start URL of the site's crawls. Scheme `http` or `https`. It cannot be changed later.",
        examples=["https://example.com/"],
    )
    name: str = Field(
        default="", max_length=_LONGEST_NAME, description="Display name. Empty: host and port of the URL."
    )
    settings: RequestedSettings = Field(
        default=None,
        description="Settings of the site's crawls. Settings that are left out have the tenant's defaults when a crawl "
        "starts, or else those of the crawler.",
    )
    schedule: Schedule | None = Field(
        default=None, description="When to crawl. `null`: the tenant's default schedule, also after it changes."
    )
    brand: BrandValues | None = Field(default=None, description="Values of the brand that you set.")


class SiteUpdate(RequestModel):
    """Fields of a site to update. Fields that are left out or `null` keep their values."""

    name: str | None = Field(default=None, max_length=_LONGEST_NAME, description="Display name.")
    settings: RequestedSettings = Field(
        default=None,
        description="Replaces all settings. Settings that are left out get their default values, as in `create_site`.",
    )
    schedule: Schedule | None = Field(default=None, description="Replaces the whole schedule.")
    inherit_schedule: Flag | None = Field(
        default=None,
        description="`true`: the site gets the tenant's default schedule, and each change of it. `false`: it keeps its "
        "schedule when the default changes.",
    )
    brand: BrandValues | None = Field(default=None, description="Replaces all values of the brand that you set.")


class Site(ResponseModel):
    """A saved site."""

    site: str = Field(description="ID of the site, derived from the URL.")
    url: str = Field(description="Start URL of the site's crawls.")
    name: str = Field(description="Display name.")
    schedule: SiteSchedule
    created_at: Timestamp
    changed_at: Timestamp
    version: int = Field(
        description='Increased by each update. Send `If-Match: "<version>"` to update the site only if it has this '
        "version."
    )


class SiteDetail(Site):
    """A site with the settings of its crawls."""

    max_pages: int | None = Field(description="Page limit set for the site. `null`: the tenant's default applies.")
    settings: CrawlSettings = Field(description="Settings of the site, without the tenant's defaults.")
    overrides: list[str] = Field(
        description="The settings that the site sets. For the others, the tenant's defaults apply, or else those of "
        "the crawler."
    )
    brand: BrandValues = Field(description="Values of the brand that you set. `GET /v1/sites/{site}/brand` has all.")


class ListedSite(Site):
    """A site with its latest crawls."""

    crawls: list[SiteCrawl] = Field(
        description="The latest crawls of the site, newest first: as many as the request's `crawls`."
    )


class SiteList(ResponseModel):
    """Paginated list of sites, ordered by ID."""

    sites: list[ListedSite]
    next_cursor: NextCursor
