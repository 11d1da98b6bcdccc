"""Create a tenant, or change one."""

from dataclasses import dataclass, replace

from wavecrawl.application.tenant_terms import tenant_of
from wavecrawl.domain.tenants.limits import LONGEST_TENANT_NAME, TENANT_ID
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import ConflictError, InvalidInputError
from wavecrawl.ports.tenants import TenantRow, Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantChange:
    """What is to be changed; None = left as it is."""

    name: str | None = None
    plan: Plan | None = None
    settings: TenantSettings | None = None
    disabled: bool | None = None


def create_tenant(tenant: str, *, name: str, plan: Plan, tenants: Tenants, now: float) -> TenantRow:
    """Return a new tenant. Raise InvalidInputError where id or name do not hold, ConflictError where it exists."""
    if not TENANT_ID.fullmatch(tenant):
        raise InvalidInputError(f"tenant: must be 1 to 63 of a-z, 0-9 and '-', not starting with '-': {tenant!r}")
    row = TenantRow(tenant=tenant, name=_name(name or tenant), plan=plan, created_at=now)
    if not tenants.create(row):
        raise ConflictError(f"tenant {tenant} exists already")
    return row


def change_tenant(tenant: str, change: TenantChange, *, tenants: Tenants, own: str, now: float) -> TenantRow:
    """Return the tenant as changed; the deployment's own is stored where it was not.

    Raise NotFoundError where there is no such tenant, InvalidSettingsError or InvalidInputError where a value does not
    hold, ConflictError where somebody else changed it meanwhile.
    """
    old = tenant_of(tenant, tenants=tenants, own=own)
    plan = change.plan or old.plan
    new = replace(
        old,
        name=old.name if change.name is None else _name(change.name),
        plan=plan,
        settings=old.settings if change.settings is None else change.settings.validated(plan),
        disabled=old.disabled if change.disabled is None else change.disabled,
        created_at=old.created_at or now,
        version=old.version + 1,
    )
    stored = tenants.update(new) if old.version else tenants.create(new)
    if not stored:
        raise ConflictError(f"tenant {tenant} was changed by somebody else just now; look at it, and try again")
    return new


def _name(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_TENANT_NAME or not text.isprintable():
        raise InvalidInputError(f"name: must be 1 to {LONGEST_TENANT_NAME} printable characters: {text!r}")
    return text
