"""Tenants, their settings, usage and API keys: requests and responses."""

from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.schedules import Schedule
from wavecrawl.api_models.settings import CrawlSettings, RequestedSettings
from wavecrawl.api_models.types import (
    LONGEST_URL,
    Flag,
    NextCursor,
    Real,
    RequestModel,
    ResponseModel,
    Timestamp,
    Whole,
)
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.tenants.defaulted import MAX_VIDEO
from wavecrawl.domain.tenants.limits import (
    FEWEST_PAGES,
    GRACE,
    LONGEST_GRACE,
    LONGEST_KEY_NAME,
    LONGEST_TENANT_NAME,
    MOST_RUNNING,
    MOST_USD,
    NO_CEILING,
    TENANT_ID,
)
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role

_DAYS = 3_650.0
_MAY_NAME_CRAWLERS = (
    "Whether `user_agent_suffix` of the tenant's crawls may name another crawler, such as Googlebot. The operator's "
    "own tenant always may."
)
_MAY_IGNORE_ROBOTS = (
    "Whether crawls of the tenant may set `polite.obey_robots` to false. The operator's own tenant always may."
)

_KeyName = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY_NAME, description="Display name.")]
_TenantName = Annotated[str, Field(min_length=1, max_length=LONGEST_TENANT_NAME, description="Display name.")]
_MaxPages = Annotated[
    Whole | None,
    Field(
        ge=FEWEST_PAGES,
        le=NO_CEILING,
        description="Page limit of crawls and sites that do not set `max_pages`. At least 10 and at most the "
        "plan's page limit; if that is below 500, at most 500. `null`: 1,000, or the plan's page limit if it is lower.",
    ),
]


_IncludeMedia = Annotated[
    Flag | None,
    Field(
        description="Whether crawls and sites that do not set `media.include` store media. `null`: they store none. "
        "A deployment that stores no media rejects `true`."
    ),
]
_MediaTypes = Annotated[
    list[MediaGroup] | None,
    Field(min_length=1, description="Media that `include_media` stores. `null`: all."),
]
_MAX_VIDEO = REQUEST_BOUNDS.range_of(MAX_VIDEO)
_MaxVideo = Annotated[
    Real | None,
    Field(
        ge=_MAX_VIDEO[0],
        le=_MAX_VIDEO[1],
        description="Maximum size of videos, in MB, of crawls and sites that do not set `media.max_video_mb`. `null`: "
        "50.",
    ),
]


class TenantSettingsUpdate(RequestModel):
    """Settings to update. Settings that are left out keep their values; `null` restores the default."""

    max_pages: _MaxPages = None
    include_media: _IncludeMedia = None
    media_types: _MediaTypes = None
    max_video_mb: _MaxVideo = None
    schedule: Schedule | None = Field(
        default=None, description="Schedule of all sites that have none of their own. `null`: manual."
    )
    settings: RequestedSettings = Field(
        default=None,
        description="Replaces the defaults of all further settings of crawls, such as `scope.exclude` and `max_depth`. "
        "`max_pages`, `media.include` and `media.max_video_mb` have fields of their own. `null`: there are none.",
    )


class TenantSettings(ResponseModel):
    """Defaults of a tenant's sites and crawls."""

    max_pages: _MaxPages
    include_media: _IncludeMedia
    media_types: _MediaTypes
    max_video_mb: _MaxVideo
    schedule: Schedule = Field(description="Schedule of all sites that have none of their own.")
    settings: CrawlSettings = Field(description="Defaults of further settings of crawls.")
    overrides: list[str] = Field(
        description="Which of `settings` are set. The others have the crawler's defaults.", examples=[["max_depth"]]
    )


class Usage(ResponseModel):
    """The usage of a tenant in the current month, and the limits of its plan."""

    plan: Plan
    month: str = Field(description="Current calendar month, UTC.", examples=["2026-11"])
    crawls: int = Field(description="Number of crawls started in this month.")
    months: dict[str, int] = Field(
        description="Number of crawls started in each of the last 12 months, latest first.",
        examples=[{"2026-11": 3, "2026-10": 30}],
    )
    crawls_a_month: int | None = Field(description="Maximum number of crawls per month. `null`: no limit.")
    max_pages: int | None = Field(description="Maximum number of pages per crawl. `null`: no limit.")
    max_tries: int | None = Field(description="Maximum number of attempts to fetch pages per crawl. `null`: no limit.")
    max_requests: int | None = Field(
        description="Maximum number of requests of every kind per crawl. `null`: no limit."
    )
    budget_usd: float | None = Field(description="Maximum AWS cost per crawl, in US dollars. `null`: no limit.")
    spent_usd: float = Field(
        description="AWS cost of the tenant's crawls in this month, in US dollars. Crawls that are running count when "
        "they end, or at each wave if a monthly limit is set."
    )
    budget_usd_a_month: float | None = Field(
        description="Maximum AWS cost of the tenant's crawls per month, in US dollars. `null`: no limit."
    )
    max_sites: int | None = Field(description="Maximum number of saved sites. `null`: no limit.")
    max_list_urls: int | None = Field(
        description="Maximum number of URLs of an uploaded list. `null`: only the limit of the deployment."
    )
    maximums: dict[str, float] = Field(
        description="Maximums of other crawl settings by name, of the plan or set by the operator.",
        examples=[{"polite.in_flight": 10}],
    )
    resets_at: Annotated[Timestamp, Field(description="Start of the next month, when `crawls` is 0 again.")]


class CallerDetail(ResponseModel):
    """Who sends a request, and what the deployment offers."""

    tenant: str = Field(description="ID of the tenant.")
    tenant_name: str = Field(description="Display name of the tenant.")
    key: str = Field(description="ID of the API key. `operator`: a key that the deployment's secret contains.")
    role: Role
    renders: bool = Field(description="Whether the deployment can render pages in a browser.")
    stores_media: bool = Field(description="Whether the deployment can store media.")
    costs_money: bool = Field(description="Whether crawls have AWS costs, which `budget_usd` can limit.")


class NewApiKey(RequestModel):
    """An API key to create."""

    name: _KeyName
    role: Role = Field(
        default=Role.TENANT, description="Role of the key. It must not exceed the role of the caller's key."
    )
    expires_in_days: Annotated[Real, Field(gt=0, le=_DAYS)] | None = Field(
        default=None, description="Days until the key expires. `null`: never."
    )


class KeyRotation(RequestModel):
    """How to rotate an API key."""

    grace_seconds: Annotated[Real, Field(ge=0, le=LONGEST_GRACE)] = Field(
        default=GRACE, description="Seconds until the previous key expires."
    )


class ApiKey(ResponseModel):
    """An API key, without its secret."""

    key: str = Field(description="ID of the key.")
    name: str = Field(description="Display name.")
    role: Role
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(
        description="When the key was last used, accurate to one hour. `null`: never."
    )
    expires_at: Timestamp | None = Field(
        description="Time at which the key expires, or was revoked. It is listed for at least 30 days after that. "
        "`null`: the key does not expire."
    )


class ApiKeyWithSecret(ApiKey):
    """An API key with its secret, which is shown once."""

    secret: str = Field(description="Secret to send as `Authorization: Bearer <secret>`.", repr=False)


class ApiKeyList(ResponseModel):
    """Paginated list of API keys, ordered by ID."""

    keys: list[ApiKey]
    next_cursor: NextCursor


class NewTenant(RequestModel):
    """A tenant to create."""

    tenant: str = Field(pattern=f"^{TENANT_ID.pattern}$", description="ID of the tenant.", examples=["acme"])
    name: _TenantName | None = Field(default=None, description="Display name. `null`: the ID.")
    plan: Plan = Field(default=Plan.FREE, description="Plan, which sets the tenant's limits.")
    website: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)] | None = Field(
        default=None,
        description="Start URL of the tenant's first site. With it, the site is created, its first crawl is started, "
        "and the tenant gets an API key.",
        examples=["https://example.com/"],
    )


class TenantUpdate(RequestModel):
    """Fields of a tenant to update. Fields that are left out or `null` keep their values."""

    name: _TenantName | None = None
    plan: Plan | None = Field(default=None, description="Plan, which sets the tenant's limits.")
    disabled: Flag | None = Field(
        default=None, description="Whether the tenant's API keys are rejected and no crawls are started for it."
    )
    max_running_crawls: Annotated[Whole, Field(ge=1, le=MOST_RUNNING)] | None = Field(
        default=None, description="Maximum number of crawls that run at the same time. Further crawls are queued."
    )
    maximums: dict[str, Real] | None = Field(
        default=None,
        description="Maximums of crawl settings by name. They replace those of the plan (10 requests in flight, 10 MiB "
        "per body, 20 MiB decoded).",
        examples=[{"polite.in_flight": 20}],
    )
    may_ignore_robots: Flag | None = Field(default=None, description=_MAY_IGNORE_ROBOTS)
    may_name_crawlers: Flag | None = Field(default=None, description=_MAY_NAME_CRAWLERS)
    budget_usd_a_month: Annotated[Real, Field(ge=0, le=MOST_USD)] | None = Field(
        default=None,
        description="Maximum AWS cost of the tenant's crawls per month, in US dollars. When it is reached, no crawl "
        "starts, and running ones end at their next wave. 0 removes the limit. A service on one machine has no costs, "
        "and rejects it.",
    )


class Tenant(ResponseModel):
    """A tenant."""

    tenant: str = Field(description="ID of the tenant.")
    name: str = Field(description="Display name.")
    plan: Plan
    disabled: bool = Field(description="Whether the tenant's API keys are rejected and no crawls are started for it.")
    max_running_crawls: int | None = Field(
        description="Maximum number of crawls that run at the same time. `null`: the default of the deployment."
    )
    maximums: dict[str, float] = Field(description="Maximums of crawl settings by name, in place of the plan's.")
    may_ignore_robots: bool = Field(description=_MAY_IGNORE_ROBOTS)
    may_name_crawlers: bool = Field(description=_MAY_NAME_CRAWLERS)
    budget_usd_a_month: float | None = Field(
        description="Maximum AWS cost of the tenant's crawls per month, in US dollars. `null`: no limit."
    )
    created_at: Timestamp | None = Field(
        description="`null` for the operator's own tenant before its first update; after that, the time of that update."
    )
    settings: TenantSettings


class CreatedTenant(Tenant):
    """A new tenant, with its site, crawl and API key if the request had a `website`."""

    site: str | None = Field(description="ID of the site. `null` without `website`.")
    crawl: str | None = Field(description="ID of the first crawl of the site. `null` without `website`.")
    key: ApiKeyWithSecret | None = Field(
        description="API key of role `tenant`. Its secret is shown once. `null` without `website`."
    )


class TenantDetail(Tenant):
    """A tenant with its usage."""

    usage: Usage


class TenantList(ResponseModel):
    """Paginated list of tenants, ordered by ID."""

    tenants: list[Tenant]
    next_cursor: NextCursor
