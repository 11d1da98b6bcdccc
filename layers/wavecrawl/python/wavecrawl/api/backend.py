"""What the API works with: every port, the operator's settings, and the deployment's keys."""

from typing import TYPE_CHECKING, Protocol

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.ports.all_ports import Ports

if TYPE_CHECKING:  # few requests need the libraries that read pages
    from wavecrawl.ports.page_parser import PageParser


class Backend(Ports, Protocol):
    """The ports of the API, with settings and keys: `bootstrap.cloud.Cloud`, `bootstrap.store.LocalStore`."""

    @property
    def settings(self) -> OperatorSettings:
        """The operator's settings."""
        ...

    @property
    def parser(self) -> "PageParser":
        """The parser of stored pages."""
        ...

    @property
    def operator_keys(self) -> tuple[str, ...]:
        """API keys of role admin that are in the deployment's secret instead of the store."""
        ...

    @property
    def signing_key(self) -> bytes:
        """The key that signs cursors."""
        ...
