"""The operator's controls as models of the API, and back."""

from msgspec.structs import replace

from wavecrawl.api.backend import Backend
from wavecrawl.api_models.controls import Controls, ControlsUpdate
from wavecrawl.domain.tenants.months import month_of
from wavecrawl.domain.tenants.operator_controls import OperatorControls


def controls_model(controls: OperatorControls, backend: Backend) -> Controls:
    """Return the controls, with what all crawls have cost this month."""
    return Controls(
        stopped=controls.stopped,
        denied_hosts=list(controls.denied_hosts),
        budget_usd_a_month=controls.budget_usd_a_month,
        spent_usd=backend.spending.spent(month_of(backend.clock.now())),
    )


def updated_controls(old: OperatorControls, update: ControlsUpdate) -> OperatorControls:
    """Return the controls with the fields that a request sets. Raise InvalidInputError."""
    new = old if update.stopped is None else replace(old, stopped=update.stopped)
    if update.denied_hosts is not None:
        new = replace(new, denied_hosts=()).deny(update.denied_hosts)
    if update.budget_usd_a_month is not None:
        new = replace(new, budget_usd_a_month=update.budget_usd_a_month or None)
    return new
