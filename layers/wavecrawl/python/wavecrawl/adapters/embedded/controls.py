"""The operator's controls in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.tenants.operator_controls import OperatorControls


class SqliteControls:
    """`ports.controls.Controls`."""

    def __init__(self, database: Database) -> None:
        self._controls = PackedTable(database, "control", OperatorControls, key=(), columns=("version",))

    def read(self) -> OperatorControls:
        """Return the controls."""
        found = self._controls.find("id = 0")
        return found[0] if found else OperatorControls()

    def update(self, controls: OperatorControls) -> bool:
        """Replace the controls whose version is one lower; return False if another process did."""
        if controls.version == 1:
            return self._controls.add(controls, id=0)
        return self._controls.replace(controls, version=controls.version)
