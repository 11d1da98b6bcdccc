"""The operator's controls: change them, and obey them.

A process reads them at most once a minute, so a change holds for all processes within a minute.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from math import inf
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from wavecrawl.domain.crawl.bill import priced
from wavecrawl.domain.tenants.months import end_of_month, month_of
from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.errors import ConflictError, CrawlsStoppedError, HostDeniedError, QuotaExceededError, TransientError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.controls import Controls

if TYPE_CHECKING:
    from wavecrawl.domain.crawl.job import CrawlId
    from wavecrawl.ports.all_ports import Ports
    from wavecrawl.ports.crawls import CrawlRow
    from wavecrawl.ports.tenants import TenantRow

FRESH: float = 60.0
"""Seconds until the controls are read again."""


class CurrentControls:
    """The controls, at most a minute old, or older while the store does not respond. Safe to share between threads."""

    def __init__(self, controls: Controls, clock: Clock) -> None:
        self._controls = controls
        self._clock = clock
        self._lock = Lock()
        self._known: OperatorControls | None = None
        self._read_at = -inf

    def now(self) -> OperatorControls:
        """Return the controls. Raise TransientError if they were never read, and cannot be."""
        with self._lock:
            now = self._clock.now()
            if self._known is not None and now - self._read_at < FRESH:
                return self._known
            try:
                self._known = self._controls.read()
            except TransientError:
                if self._known is None:
                    raise
            self._read_at = now
            return self._known

    def denies(self, host: str) -> bool:
        """Return whether a host or an address must not be requested."""
        return self.now().denies(host)


class MonthlyCap(Struct, frozen=True, kw_only=True):
    """A limit of what crawls may cost in a month, and what they have cost."""

    limit: float  # dollars
    spent: float  # dollars
    of_tenant: bool  # False: of all tenants together

    @property
    def is_reached(self) -> bool:
        """Whether nothing more may be spent in this month."""
        return self.spent >= self.limit


def change_controls(change: Callable[[OperatorControls], OperatorControls], controls: Controls) -> OperatorControls:
    """Return the controls as changed; raise ConflictError if another request changed them at the same time."""
    old = controls.read()
    new = replace(change(old), version=old.version + 1)
    if not controls.update(new):
        raise ConflictError("the controls were changed by another request; get them, and try again")
    return new


def require_permission(url: str, tenant: "TenantRow", ports: "Ports") -> None:
    """Raise an error if the operator's controls forbid a new crawl of a URL.

    CrawlsStoppedError: no crawl may start. HostDeniedError: the host is on the deny list. QuotaExceededError: the
    crawls of this month have cost as much as they may.
    """
    controls = ports.controls.read()
    require_allowed(url, controls)
    now = ports.clock.now()
    for cap in monthly_caps(controls, tenant, ports, now=now):
        if cap.is_reached:
            raise _spent(cap, tenant, now)


def require_allowed(url: str, controls: OperatorControls) -> None:
    """Raise CrawlsStoppedError or HostDeniedError if no crawl of a URL may start, whatever it costs."""
    if controls.stopped:
        raise CrawlsStoppedError("the operator has stopped all crawls; try again later, or ask the operator")
    host = urlsplit(url).hostname or ""
    if controls.denies(host):
        raise HostDeniedError(f"the operator does not allow requests to {host}")


def monthly_caps(
    controls: OperatorControls, tenant: "TenantRow | None", ports: "Ports", *, now: float
) -> list[MonthlyCap]:
    """Return the limits of the month's costs that hold for a tenant. Without limits nothing is read."""
    month = month_of(now)
    caps = []
    if tenant is not None and tenant.budget_usd_a_month is not None:
        spent = ports.spending.spent(month, tenant.tenant)
        caps.append(MonthlyCap(limit=tenant.budget_usd_a_month, spent=spent, of_tenant=True))
    if controls.budget_usd_a_month is not None:
        caps.append(MonthlyCap(limit=controls.budget_usd_a_month, spent=ports.spending.spent(month), of_tenant=False))
    return caps


class OperatorStop(Struct, frozen=True, kw_only=True):
    """Whether the operator's controls end a running crawl at its next wave."""

    cancelled: bool = False  # all crawls were stopped
    spent: bool = False  # a limit of the month's costs is reached


def operator_stop(crawl: "CrawlRow", controls: OperatorControls, ports: "Ports") -> OperatorStop:
    """Return whether a running crawl must end. If all crawls were stopped, the crawl is marked as cancelled."""
    if controls.stopped and not crawl.cancel_asked:
        ports.crawls.ask_to_cancel(crawl.id)
    tenant = ports.tenants.read(crawl.id.tenant)
    if controls.budget_usd_a_month is None and (tenant is None or tenant.budget_usd_a_month is None):
        return OperatorStop(cancelled=controls.stopped)
    now = ports.clock.now()
    charge_month(crawl.id, ports, now=now)
    caps = monthly_caps(controls, tenant, ports, now=now)
    return OperatorStop(cancelled=controls.stopped, spent=any(cap.is_reached for cap in caps))


def charge_month(crawl: "CrawlId", ports: "Ports", *, now: float) -> None:
    """Add what a crawl has cost to the sums of the month."""
    ports.spending.charge(crawl, priced(ports.waves.usage(crawl)).total, month=month_of(now))


def _spent(cap: MonthlyCap, tenant: "TenantRow", now: float) -> QuotaExceededError:
    resets_at = end_of_month(now)
    whose = f"of tenant {tenant.tenant}" if cap.of_tenant else "of all crawls of this deployment"
    message = (
        f"the monthly limit {whose} is reached: ${cap.limit:,.2f} (budget_usd_a_month). New crawls can start from "
        f"{datetime.fromtimestamp(resets_at, tz=UTC):%Y-%m-%d %H:%M} UTC, or when the operator raises it"
    )
    return QuotaExceededError(message, resets_at=resets_at, wait=resets_at - now)
