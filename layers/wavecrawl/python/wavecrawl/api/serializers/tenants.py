"""Tenants, their settings, usage and API keys as models of the API, and back."""

from wavecrawl.api.serializers.sites import requested_schedule, schedule_model
from wavecrawl.api_models.schedules import Schedule
from wavecrawl.api_models.tenants import (
    ApiKey,
    ApiKeyWithSecret,
    Tenant,
    TenantSettings,
    TenantSettingsUpdate,
    Usage,
)
from wavecrawl.api_models.types import timestamp, timestamp_or_none
from wavecrawl.application.api_keys import NewKey
from wavecrawl.application.tenants import TenantUsage
from wavecrawl.domain.tenants import tenant_settings as domain
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.tenants import TenantRow


def settings_model(settings: domain.TenantSettings) -> TenantSettings:
    """Return the settings of a tenant."""
    return TenantSettings(max_pages=settings.max_pages, schedule=schedule_model(settings.schedule))


def updated_settings(old: domain.TenantSettings, update: TenantSettingsUpdate) -> domain.TenantSettings:
    """Return settings with the fields that a request sets."""
    named = update.model_fields_set
    schedule = requested_schedule(update.schedule or Schedule())
    return domain.TenantSettings(
        max_pages=update.max_pages if "max_pages" in named else old.max_pages,
        schedule=schedule if "schedule" in named else old.schedule,
    )


def usage_model(usage: TenantUsage) -> Usage:
    """Return the usage of a tenant."""
    same = {name: getattr(usage, name) for name in Usage.model_fields if name != "resets_at"}
    return Usage(**same, resets_at=timestamp(usage.resets_at))


def key_model(row: ApiKeyRow) -> ApiKey:
    """Return an API key, without its secret."""
    return ApiKey(
        key=row.id,
        name=row.name,
        role=row.role,
        created_at=timestamp(row.created_at),
        last_used_at=timestamp_or_none(row.last_used_at),
        expires_at=timestamp_or_none(row.expires_at),
    )


def key_with_secret(new: NewKey) -> ApiKeyWithSecret:
    """Return a new API key with its secret."""
    return ApiKeyWithSecret(**dict(key_model(new.row)), secret=new.secret)


def tenant_model(row: TenantRow) -> Tenant:
    """Return a tenant."""
    return Tenant(
        tenant=row.tenant,
        name=row.name,
        plan=row.plan,
        disabled=row.disabled,
        created_at=timestamp_or_none(row.created_at),
        settings=settings_model(row.settings),
    )
