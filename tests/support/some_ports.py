"""A set of ports for tests of use cases that need a few of them."""

from types import SimpleNamespace
from typing import Any, cast

from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.spending import NoSpending


def some_ports(**ports: Any) -> Ports:
    """Return a set of ports that has only those given, no saved sites and no controls unless they are given."""
    return cast(
        "Ports",
        SimpleNamespace(**{"sites": _NoSites(), "controls": _NoControls(), "spending": NoSpending(), **ports}),
    )


class _NoControls:
    def read(self) -> OperatorControls:
        return OperatorControls()


class _NoSites:
    def read(self, _tenant: str, _site: str) -> None:
        return None
