"""What the API works with: every port, the operator's settings, and the deployment's keys."""

from typing import Protocol

from wavecrawl.application.start_site import Operator
from wavecrawl.ports.all_ports import Ports


class ApiSettings(Operator, Protocol):
    """The operator's settings for the API: `CloudSettings` in the cloud, `LocalSettings` on one machine."""

    @property
    def max_body_bytes(self) -> int:
        """The largest body of a request."""
        ...

    @property
    def requests_a_minute(self) -> int:
        """The limit for one key; `KEYS_WORTH` times as many for all keys of a tenant."""
        ...

    @property
    def cors_origins(self) -> tuple[str, ...]:
        """Origins whose pages may call the API from a browser; "*" = all."""
        ...


class Backend(Ports, Protocol):
    """The ports of the API, with settings and keys: `bootstrap.cloud.Cloud`, `bootstrap.store.LocalStore`."""

    @property
    def settings(self) -> ApiSettings:
        """The operator's settings."""
        ...

    @property
    def operator_keys(self) -> tuple[str, ...]:
        """API keys of role admin that are in the deployment's secret instead of the store."""
        ...

    @property
    def signing_key(self) -> bytes:
        """The key that signs cursors."""
        ...
