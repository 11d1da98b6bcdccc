"""Tenants, their settings, usage and API keys as models of the API, and back."""

from msgspec.structs import replace

from wavecrawl.api.serializers import same_fields
from wavecrawl.api.serializers.settings import settings_model as crawl_settings_model
from wavecrawl.api.serializers.sites import given_settings, requested_schedule, schedule_model
from wavecrawl.api_models.schedules import Schedule
from wavecrawl.api_models.tenants import (
    ApiKey,
    ApiKeyWithSecret,
    CallerDetail,
    CreatedTenant,
    Tenant,
    TenantSettings,
    TenantSettingsUpdate,
    Usage,
)
from wavecrawl.api_models.types import timestamp_or_none
from wavecrawl.application.api_keys import Caller, NewKey
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.sign_up import SignUp
from wavecrawl.application.tenants import TenantUsage, tenant_of
from wavecrawl.domain.tenants import tenant_settings as domain
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.tenants import TenantRow, Tenants


def settings_model(settings: domain.TenantSettings) -> TenantSettings:
    """Return the settings of a tenant."""
    return TenantSettings(
        **same_fields(TenantSettings, settings)
        | {
            "schedule": schedule_model(settings.schedule),
            "settings": crawl_settings_model(settings.settings),
            "overrides": sorted(settings.named),
        }
    )


def updated_settings(old: domain.TenantSettings, update: TenantSettingsUpdate) -> domain.TenantSettings:
    """Return settings with the fields that a request sets. Raise InvalidSettingsError."""
    values = {name: getattr(update, name) for name in update.model_fields_set}
    if "schedule" in values:
        values["schedule"] = requested_schedule(update.schedule or Schedule())
    if "settings" in values:
        values |= given_settings(update.settings)
    if update.media_types is not None:
        values["media_types"] = tuple(update.media_types)
    return replace(old, **values)


def usage_model(usage: TenantUsage) -> Usage:
    """Return the usage of a tenant."""
    return Usage(**same_fields(Usage, usage))


def caller_detail(caller: Caller, *, tenants: Tenants, operator: OperatorSettings) -> CallerDetail:
    """Return who sends a request, and what the deployment offers."""
    name = tenant_of(caller.tenant, tenants=tenants, own=operator.tenant).name
    fields = same_fields(CallerDetail, operator) | same_fields(CallerDetail, caller)
    return CallerDetail(**fields, tenant_name=name, key=caller.key_id)


def key_model(row: ApiKeyRow) -> ApiKey:
    """Return an API key, without its secret."""
    times = {name: timestamp_or_none(getattr(row, name)) for name in ("last_used_at", "expires_at")}
    return ApiKey(key=row.id, **same_fields(ApiKey, row) | times)


def key_with_secret(new: NewKey) -> ApiKeyWithSecret:
    """Return a new API key with its secret."""
    return ApiKeyWithSecret(**dict(key_model(new.row)), secret=new.secret)


def created_tenant(row: TenantRow) -> CreatedTenant:
    """Return a new tenant without a site."""
    return CreatedTenant(**dict(tenant_model(row)), site=None, crawl=None, key=None)


def signed_up(new: SignUp) -> CreatedTenant:
    """Return a new tenant with its site, crawl and API key."""
    key = key_with_secret(new.key)
    return CreatedTenant(**dict(tenant_model(new.tenant)), site=new.site.site, crawl=new.crawl.id.crawl, key=key)


def tenant_model(row: TenantRow) -> Tenant:
    """Return a tenant."""
    settings, created_at = settings_model(row.settings), timestamp_or_none(row.created_at)
    return Tenant(**same_fields(Tenant, row) | {"settings": settings, "created_at": created_at})
