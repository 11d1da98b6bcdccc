"""Tenants: create, change, get; their quota, their plan's limits, their usage."""

from collections.abc import Collection, Mapping
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_settings import NO_COSTS, check_deployment, crawl_settings
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.crawl.setting_paths import with_values
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import RANGES, REQUEST_BOUNDS
from wavecrawl.domain.politeness.known_crawlers import named_crawlers
from wavecrawl.domain.tenants.defaulted import BROWSER, MAX_PAGES, MEDIA, MEDIA_INCLUDE, OBEY_ROBOTS, USER_AGENT_SUFFIX
from wavecrawl.domain.tenants.limits import LONGEST_TENANT_NAME, TENANT_ID
from wavecrawl.domain.tenants.months import end_of_month, month_of, months_until
from wavecrawl.domain.tenants.plans import CEILINGS, RENDER_BYTES, Plan, maximums_of
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    InvalidSettingsError,
    NotFoundError,
    PlanLimitError,
)
from wavecrawl.ports.crawls import Quota
from wavecrawl.ports.spending import Spending
from wavecrawl.ports.tenants import TenantRow, Tenants

_MONTHS = 12  # whose crawls are counted in the usage

_PER_CRAWL: Mapping[str, str] = {
    MAX_PAGES: "pages",
    "max_tries": "tries",
    "max_requests": "requests",
    "budget_usd": "dollars",
}
"""The limits of a plan on one crawl, with their units."""

_MUST_OBEY = (
    f"{OBEY_ROBOTS} can be false only with the operator's permission; leave it out, or ask the operator to set "
    "may_ignore_robots of the tenant"
)

_OTHER_CRAWLER = (
    USER_AGENT_SUFFIX + " can name another crawler ({}) only with the operator's permission; leave the name out, or "
    "ask the operator to set may_name_crawlers of the tenant"
)


class TenantChange(msgspec.Struct, frozen=True, kw_only=True):
    """The new values of a tenant's fields; None leaves a field unchanged."""

    name: str | None = None
    plan: Plan | None = None
    settings: TenantSettings | None = None
    disabled: bool | None = None
    max_running_crawls: int | None = None
    maximums: dict[str, float] | None = None
    may_ignore_robots: bool | None = None
    may_name_crawlers: bool | None = None
    budget_usd_a_month: float | None = None  # 0 = no limit
    of_version: int | None = None  # of the tenant that the new values were made from; None = any


class TenantUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a tenant used this month, and the limits of its plan (None = no limit)."""

    tenant: str
    plan: Plan
    month: str  # such as "2026-11"
    crawls: int  # started this month
    months: dict[str, int]  # crawls started in each of the last months, latest first
    crawls_a_month: int | None
    max_pages: int | None  # per crawl
    max_tries: int | None  # per crawl
    max_requests: int | None  # per crawl, of every kind
    budget_usd: float | None  # per crawl
    spent_usd: float  # what its crawls have cost this month
    budget_usd_a_month: float | None  # what they may cost in a month
    max_sites: int | None  # saved sites
    max_list_urls: int | None  # of an uploaded list
    maximums: dict[str, float]  # of other settings of crawls, by path
    resets_at: float  # start of the next month, Unix seconds


def create_tenant(tenant: str, *, name: str, plan: Plan, tenants: Tenants, now: float, sign_up: str = "") -> TenantRow:
    """Create a tenant; `sign_up` is the crawl that its sign-up starts.

    Raise InvalidInputError if its id or name is invalid, ConflictError if it exists.
    """
    if not TENANT_ID.fullmatch(tenant):
        raise InvalidInputError(f"tenant: must be 1 to 63 of a-z, 0-9 and '-', not starting with '-': {tenant!r}")
    row = TenantRow(tenant=tenant, name=_name(name or tenant), plan=plan, created_at=now, sign_up=sign_up)
    if not tenants.create(row):
        raise ConflictError(f"tenant {tenant} already exists")
    return row


def change_tenant(tenant: str, change: TenantChange, *, tenants: Tenants, own: str, now: float) -> TenantRow:
    """Return the tenant as changed. The deployment's own tenant is stored if it was not.

    Raise NotFoundError if there is no such tenant, InvalidSettingsError or InvalidInputError if a value is invalid,
    ConflictError if another request changed the tenant at the same time.
    """
    old = tenant_of(tenant, tenants=tenants, own=own)
    if change.of_version not in (None, old.version):
        raise _changed_meanwhile(tenant)
    plan = change.plan or old.plan
    new = replace(
        old,
        name=old.name if change.name is None else _name(change.name),
        plan=plan,
        settings=old.settings if change.settings is None else _checked(change.settings, plan),
        disabled=old.disabled if change.disabled is None else change.disabled,
        max_running_crawls=change.max_running_crawls or old.max_running_crawls,
        maximums=old.maximums if change.maximums is None else _maximums(change.maximums),
        may_ignore_robots=(old.may_ignore_robots if change.may_ignore_robots is None else change.may_ignore_robots),
        may_name_crawlers=(old.may_name_crawlers if change.may_name_crawlers is None else change.may_name_crawlers),
        budget_usd_a_month=(
            old.budget_usd_a_month if change.budget_usd_a_month is None else change.budget_usd_a_month or None
        ),
        created_at=old.created_at or now,
        version=old.version + 1,
    )
    stored = tenants.update(new) if old.version else tenants.create(new)
    if not stored:
        raise _changed_meanwhile(tenant)
    return new


def change_settings(
    old: TenantRow, settings: TenantSettings, *, tenants: Tenants, operator: OperatorSettings, now: float
) -> TenantRow:
    """Return the tenant with new settings, which were made from those of `old`.

    Raise as `change_tenant`, InvalidSettingsError if they need what the deployment lacks, and PlanLimitError if they
    exceed a limit of the plan.
    """
    defaults = settings.validated(old.plan).fill(CrawlSettings(), named=())
    check_deployment(defaults, operator)
    named = settings.given - {MAX_PAGES}  # one default may serve several plans, which lower it
    within_plan(defaults, replace(old, settings=TenantSettings()), operator, named=named)
    change = TenantChange(settings=settings, of_version=old.version)
    return change_tenant(old.tenant, change, tenants=tenants, own=operator.tenant, now=now)


def tenant_of(tenant: str, *, tenants: Tenants, own: str) -> TenantRow:
    """Return a tenant. The deployment's own tenant (`own`) needs no row: without one it has no limits.

    Raise NotFoundError if there is no such tenant.
    """
    row = tenants.read(tenant) if tenant == own or TENANT_ID.fullmatch(tenant) else None
    if row is None and tenant == own:
        return TenantRow(tenant=own, name=own, plan=Plan.UNLIMITED, version=0)
    if row is None:
        raise NotFoundError(f"there is no tenant {tenant}")
    return row


def active_tenant(tenant: str, *, tenants: Tenants, own: str) -> TenantRow:
    """Return a tenant that may start crawls; raise as `tenant_of`, and ForbiddenError if it is disabled."""
    row = tenant_of(tenant, tenants=tenants, own=own)
    if row.disabled:
        raise ForbiddenError(f"tenant {tenant} is disabled; only the operator can change that")
    return row


def quota_of(tenant: TenantRow, now: float) -> Quota:
    """Return the tenant's quota of the month of `now`."""
    return Quota(month=month_of(now), limit=CEILINGS[tenant.plan].crawls_a_month)


def usage_of(tenant: str, *, tenants: Tenants, spending: Spending, own: str, now: float) -> TenantUsage:
    """Return what a tenant used this month; raise NotFoundError if there is no such tenant."""
    row = tenant_of(tenant, tenants=tenants, own=own)
    ceilings = CEILINGS[row.plan]
    months = {month: tenants.crawls_in(tenant, month) for month in months_until(now, _MONTHS)}
    month = month_of(now)
    return TenantUsage(
        tenant=tenant,
        plan=row.plan,
        month=month,
        crawls=months[month],
        months=months,
        crawls_a_month=ceilings.crawls_a_month,
        max_pages=ceilings.max_pages,
        max_tries=ceilings.max_tries,
        max_requests=ceilings.max_requests,
        budget_usd=ceilings.budget_usd,
        spent_usd=spending.spent(month, tenant),
        budget_usd_a_month=row.budget_usd_a_month,
        max_sites=ceilings.max_sites,
        max_list_urls=ceilings.max_list_urls,
        maximums=maximums_of(row.plan, row.maximums),
        resets_at=end_of_month(now),
    )


_BUILT_IN = CrawlSettings()


def within_plan(
    settings: CrawlSettings, tenant: TenantRow, operator: OperatorSettings, *, named: Collection[str]
) -> CrawlSettings:
    """Return the settings with the defaults of the tenant and the limits of its plan.

    This is the one rule of precedence: what the request or the site sets (`named`), then the defaults of the tenant,
    then those of the operator in the plan, then the crawler's. Defaults that need what the deployment lacks do not
    apply. Defaults above a limit are lowered to it. If no limit of tries, requests, bytes of rendered pages or dollars
    is set, that of the plan applies.

    Raise PlanLimitError if a named setting exceeds a limit of the plan or the tenant, InvalidSettingsError if dollars
    are limited where crawls cost none, or if robots.txt is ignored or another crawler is named without the operator's
    permission.
    """
    ceilings = CEILINGS[tenant.plan]
    filled = tenant.settings.fill(settings, named={*named, *_unusable(operator)})
    if filled.budget_usd and not operator.costs_money:
        raise InvalidSettingsError((NO_COSTS,))
    limits = _limits_of(tenant)
    render_bytes = filled.render.max_crawl_bytes or int(limits.get(RENDER_BYTES, 0))
    limited = replace(
        filled,
        render=replace(filled.render, max_crawl_bytes=render_bytes),
        max_tries=filled.max_tries or ceilings.max_tries or 0,
        max_requests=filled.max_requests or ceilings.max_requests or 0,
        budget_usd=(filled.budget_usd or ceilings.budget_usd or 0.0) if operator.costs_money else 0.0,
    )
    lowered: dict[str, float] = {}
    for path, most in limits.items():
        value: float = attrgetter(path)(limited)
        is_own = path in _PER_CRAWL or value != attrgetter(path)(_BUILT_IN)  # stored sites name defaults, too
        if value > most and path in named and is_own:
            raise _plan_error(path, most, given=value, tenant=tenant)
        if value > most:
            lowered[path] = type(value)(most)
    settings = _with_robots(with_values(limited, lowered), tenant, operator, named=named)
    return _as_itself(settings, tenant, operator, named=named)


def _unusable(operator: OperatorSettings) -> Collection[str]:
    """Return the settings whose defaults may need what the deployment lacks."""
    return (*(() if operator.stores_media else (MEDIA_INCLUDE,)), *(() if operator.renders else BROWSER))


def _limits_of(tenant: TenantRow) -> Mapping[str, float]:
    """Return the limits of a tenant's crawls, by the path of the setting: those of its plan, and its maximums."""
    ceilings = CEILINGS[tenant.plan]
    of_plan = {path: getattr(ceilings, path) for path in _PER_CRAWL}
    maximums = maximums_of(tenant.plan, tenant.maximums)
    return {path: most for path, most in of_plan.items() if most is not None} | maximums


def _plan_error(path: str, most: float, *, given: float, tenant: TenantRow) -> PlanLimitError:
    plan = tenant.plan.value
    message = f"{path} may be at most {most:,.12g} for tenant {tenant.tenant}, not {given:,.12g}"
    if path in _PER_CRAWL and path not in tenant.maximums:
        message = (
            f"plan {plan} allows {most:,} {_PER_CRAWL[path]} per crawl, not {given:,};"
            f" set {path} to {most:,} or less, or upgrade"
        )
    return PlanLimitError(message, plan=plan, limit=path, ceiling=most)


def _with_robots(
    settings: CrawlSettings, tenant: TenantRow, operator: OperatorSettings, *, named: Collection[str]
) -> CrawlSettings:
    """Return the settings; raise InvalidSettingsError if they ignore robots.txt without the operator's permission.

    A default without the permission does not apply.
    """
    if settings.polite.obey_robots or tenant.may_ignore_robots or tenant.tenant == operator.tenant:
        return settings
    if OBEY_ROBOTS in named:
        raise InvalidSettingsError((_MUST_OBEY,))
    return with_values(settings, {OBEY_ROBOTS: True})


def _as_itself(
    settings: CrawlSettings, tenant: TenantRow, operator: OperatorSettings, *, named: Collection[str]
) -> CrawlSettings:
    """Return the settings; raise InvalidSettingsError if they name another crawler without the operator's permission.

    A default without the permission does not apply.
    """
    crawlers = named_crawlers(settings.user_agent_suffix)
    if not crawlers or tenant.may_name_crawlers or tenant.tenant == operator.tenant:
        return settings
    if USER_AGENT_SUFFIX in named:
        raise InvalidSettingsError((_OTHER_CRAWLER.format(crawlers[0]),))
    return with_values(settings, {USER_AGENT_SUFFIX: ""})


def _checked(settings: TenantSettings, plan: Plan) -> TenantSettings:
    """Return the settings; raise InvalidSettingsError if one is invalid, those of media as in requests."""
    crawl_settings({MEDIA: settings.media}, bounds=REQUEST_BOUNDS)
    return settings.validated(plan)


def _changed_meanwhile(tenant: str) -> ConflictError:
    return ConflictError(f"tenant {tenant} was changed by another request; get it, and try again")


def _maximums(given: dict[str, float]) -> dict[str, float]:
    """Return the maximums; raise InvalidSettingsError if one is of no numeric setting, or outside its range."""
    problems = [f"maximums: {path} is no numeric setting" for path in given.keys() - RANGES.keys()]
    for path in given.keys() & RANGES.keys():
        problem = REQUEST_BOUNDS.problem(path, given[path])
        problems += [f"maximums: {problem}"] if problem else []
    if problems:
        raise InvalidSettingsError(tuple(sorted(problems)))
    return given


def _name(text: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_TENANT_NAME or not text.isprintable():
        raise InvalidInputError(f"name: must be 1 to {LONGEST_TENANT_NAME} printable characters: {text!r}")
    return text
