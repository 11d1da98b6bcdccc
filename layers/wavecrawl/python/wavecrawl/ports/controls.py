"""The operator's controls."""

from typing import Protocol

from wavecrawl.domain.tenants.operator_controls import OperatorControls


class Controls(Protocol):
    """One row. Contract: tests/contract/test_stored_controls.py."""

    def read(self) -> OperatorControls:
        """Return the controls; those of an installation that has never changed them have version 0."""
        ...

    def update(self, controls: OperatorControls) -> bool:
        """Replace the controls if the stored version is one lower; return whether they were."""
        ...
