"""Tenants, their settings, what they use, and their keys, as they are asked for and shown."""

from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.schedules import ScheduleModel, asked_schedule, shown_schedule
from wavecrawl.api_models.types import Asked, Flag, Moment, Real, Shown, Whole, moment, moment_or_none
from wavecrawl.application.api_keys import GRACE, LONGEST_GRACE, LONGEST_NAME, NewKey
from wavecrawl.application.tenants import LONGEST_NAME as LONGEST_TENANT_NAME
from wavecrawl.application.tenants import TENANT_ID, TenantUsage
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.domain.tenants.tenant_settings import FEWEST_PAGES, NO_CEILING, TenantSettings
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.tenants import TenantRow

_DAYS = 3_650.0

KeyNameField = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, description="for people")]
TenantNameField = Annotated[str, Field(min_length=1, max_length=LONGEST_TENANT_NAME, description="for people")]
MaxPagesField = Annotated[
    Whole | None,
    Field(
        ge=FEWEST_PAGES,
        le=NO_CEILING,
        description="pages of a crawl that names none: 10 to 500, or to the plan's own ceiling; null = 1,000",
    ),
]


class SettingsChange(Asked):
    """Settings to change: what is not named stays as it is."""

    max_pages: MaxPagesField = None
    schedule: ScheduleModel | None = Field(default=None, description="of a new site; null = manual")


class Settings(Shown):
    """What a tenant's sites and crawls start from, unless they say otherwise."""

    max_pages: MaxPagesField
    schedule: ScheduleModel


class Usage(Shown):
    """What a tenant has used of its month."""

    plan: Plan
    month: str = Field(description="the calendar month, UTC", examples=["2026-11"])
    crawls: int = Field(description="started in it")
    crawls_a_month: int | None = Field(description="how many the plan allows; null = no limit")
    max_pages: int | None = Field(description="how many pages of a crawl the plan allows; null = no limit")
    max_tries: int | None = Field(description="how many tries of a crawl the plan allows; null = no limit")
    budget_usd: float | None = Field(description="how many dollars of a crawl the plan allows; null = no limit")
    max_sites: int | None = Field(description="how many saved sites the plan allows; null = no limit")
    resets_at: Annotated[Moment, Field(description="when the next month begins")]


class NewApiKey(Asked):
    """A key to make."""

    name: KeyNameField
    role: Role = Field(default=Role.TENANT, description="what it may do; no more than the key that asks")
    expires_in_days: Annotated[Real, Field(gt=0, le=_DAYS)] | None = Field(default=None, description="null = never")


class Rotation(Asked):
    """How a key is rotated."""

    grace_seconds: Annotated[Real, Field(ge=0, le=LONGEST_GRACE)] = Field(
        default=GRACE, description="how long the old key stays in force beside the new one"
    )


class ApiKey(Shown):
    """A key. The key itself is shown once, when it is made."""

    key: str = Field(description="its id")
    name: str
    role: Role
    created_at: Moment
    last_used_at: Moment | None = Field(description="to the hour")
    expires_at: Moment | None = Field(description="when it ends, or has ended; ended keys are listed for a month")


class ApiKeyWithSecret(ApiKey):
    """A key that was just made."""

    secret: str = Field(description="what to send as `Authorization: Bearer`; it is shown this once")


class ApiKeyList(Shown):
    """Keys by id."""

    keys: list[ApiKey]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


class NewTenant(Asked):
    """A tenant to make."""

    tenant: str = Field(pattern=f"^{TENANT_ID.pattern}$", description="its id", examples=["acme"])
    name: TenantNameField | None = Field(default=None, description="for people; null = the id")
    plan: Plan = Plan.FREE


class TenantChangeModel(Asked):
    """What to change of a tenant: what is not named, or null, stays as it is."""

    name: TenantNameField | None = None
    plan: Plan | None = None
    disabled: Flag | None = Field(default=None, description="its keys open nothing, and nothing is crawled for it")


class Tenant(Shown):
    """A tenant."""

    tenant: str = Field(description="its id")
    name: str
    plan: Plan
    disabled: bool
    created_at: Moment | None = Field(description="null for the deployment's own, where it was never stored")
    settings: Settings


class TenantInFull(Tenant):
    """A tenant and its month."""

    usage: Usage


class TenantList(Shown):
    """Tenants by id."""

    tenants: list[Tenant]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


def shown_settings(settings: TenantSettings) -> Settings:
    """Return settings as they are shown."""
    schedule = settings.schedule
    return Settings(
        max_pages=settings.max_pages,
        schedule=shown_schedule(schedule),
    )


def changed_settings(old: TenantSettings, change: SettingsChange) -> TenantSettings:
    """Return settings with what a request names of them."""
    named = change.model_fields_set
    schedule = asked_schedule(change.schedule or ScheduleModel())
    return TenantSettings(
        max_pages=change.max_pages if "max_pages" in named else old.max_pages,
        schedule=schedule if "schedule" in named else old.schedule,
    )


def shown_usage(used: TenantUsage) -> Usage:
    """Return a tenant's month as it is shown."""
    return Usage(
        plan=used.plan,
        month=used.month,
        crawls=used.crawls,
        crawls_a_month=used.crawls_a_month,
        max_pages=used.max_pages,
        max_tries=used.max_tries,
        budget_usd=used.budget_usd,
        max_sites=used.max_sites,
        resets_at=moment(used.resets_at),
    )


def shown_key(row: ApiKeyRow) -> ApiKey:
    """Return a key as it is shown."""
    return ApiKey(
        key=row.id,
        name=row.name,
        role=row.role,
        created_at=moment(row.created_at),
        last_used_at=moment_or_none(row.last_used_at),
        expires_at=moment_or_none(row.expires_at),
    )


def shown_once(new: NewKey) -> ApiKeyWithSecret:
    """Return a key that was just made."""
    return ApiKeyWithSecret(**shown_key(new.row).model_dump(), secret=new.secret)


def shown_tenant(row: TenantRow) -> Tenant:
    """Return a tenant as it is shown."""
    return Tenant(
        tenant=row.tenant,
        name=row.name,
        plan=row.plan,
        disabled=row.disabled,
        created_at=moment_or_none(row.created_at),
        settings=shown_settings(row.settings),
    )
