"""The operator's controls in DynamoDB."""

from wavecrawl.adapters.aws.names import controls_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.tenants.operator_controls import OperatorControls


class DynamoControls:
    """`ports.controls.Controls`."""

    def __init__(self, table: Table) -> None:
        self._controls = PackedItems(table, OperatorControls)

    def read(self) -> OperatorControls:
        """Return the controls."""
        return self._controls.get(controls_row()) or OperatorControls()

    def update(self, controls: OperatorControls) -> bool:
        """Replace the controls whose version is one lower; return False if another process did."""
        if controls.version == 1:
            return self._controls.add(controls_row(), controls, version=1)
        return self._controls.replace(controls_row(), controls, version=controls.version)
