"""The routes of results over a data folder."""

from pathlib import Path
from typing import Any

from tests.support.asking import Response, ask

from wavecrawl.api.app import Api
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT, LocalSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.tenants import TenantRow


class ResultsService:
    """A client of the API with a key of its own."""

    def __init__(self, folder: Path) -> None:
        self.store = LocalStore(folder, LocalSettings(requests_a_minute=1_000_000))
        self.api = Api(self.store)

    def key(self, tenant: str = LOCAL_TENANT, role: Role = Role.TENANT) -> str:
        """Return a new key of a tenant. Create the tenant if it does not exist."""
        self.store.tenants.create(TenantRow(tenant=tenant, name=tenant, plan=Plan.PRO))
        return create_key(tenant, role=role, name="tests", keys=self.store.keys, now=self.store.clock.now()).secret

    def ask(self, method: str, path: str, *, key: str = "", **more: Any) -> Response:
        """Send a request with the folder's own key, or with another key."""
        return ask(self.api.resolve, method, path, key=key or self.key(), **more)

    def close(self) -> None:
        """Close the store."""
        self.store.close()
