"""The API over a data folder, as far as results go."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.support.asking import Answered, ask

from wavecrawl.adapters.embedded.exports import FolderExports
from wavecrawl.api.app import Api
from wavecrawl.api.service import Service
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.local_results import local_results
from wavecrawl.bootstrap.store import LOCAL_TENANT, LocalStore
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.tenants import TenantRow


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    tenant: str = LOCAL_TENANT
    contact: str = ""
    allowed_addresses: tuple[str, ...] = ()
    lease: float = 360.0
    max_body_bytes: int = 65_536
    requests_a_minute: int = 1_000_000
    cors_origins: tuple[str, ...] = ()


class AskedService:
    """Asks the API with a key of its own."""

    def __init__(self, folder: Path) -> None:
        self.store = store = LocalStore(folder)
        ports: dict[str, Any] = {
            name: getattr(store, name)
            for name in (
                *("clock", "crawls", "waves", "batches", "claims", "archive", "memories", "hidden"),
                *("tenants", "keys", "rate_limits", "repeats", "event_log"),
            )
        }
        service = type("AService", (), ports)()
        service.settings, service.operator_keys, service.signing_key = _Settings(), (), b"a key of tests"
        service.results = local_results(store)
        service.exports = FolderExports(folder, signing_key=b"a key of tests", clock=store.clock, base_url="")
        self.api = Api(cast("Service", service))

    def key(self, tenant: str = LOCAL_TENANT, role: Role = Role.TENANT) -> str:
        """Return a new key of a tenant, which comes to be with it."""
        self.store.tenants.create(TenantRow(tenant=tenant, name=tenant, plan=Plan.PRO))
        return create_key(tenant, role=role, name="tests", keys=self.store.keys, now=self.store.clock.now()).secret

    def ask(self, method: str, path: str, *, key: str = "", **more: Any) -> Answered:
        """Ask as a tenant of this folder, or with another key."""
        return ask(self.api.resolve, method, path, key=key or self.key(), **more)

    def close(self) -> None:
        """Close the store."""
        self.store.close()
