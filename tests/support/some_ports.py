"""A set of ports for tests of use cases that need a few of them."""

from types import SimpleNamespace
from typing import Any, cast

from wavecrawl.ports.all_ports import Ports


def some_ports(**ports: Any) -> Ports:
    """Return a set of ports that has only those given, and no saved site unless `sites` is given."""
    return cast("Ports", SimpleNamespace(**{"sites": _NoSites(), **ports}))


class _NoSites:
    def read(self, _tenant: str, _site: str) -> None:
        return None
