"""`wavecrawl serve` behind the API: launcher, scheduler and webhook deliveries of one data folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from wavecrawl.adapters.embedded.lock import FolderLock, serve_lock
from wavecrawl.adapters.embedded.scheduler import LocalScheduler
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.start_site import start_scheduled
from wavecrawl.bootstrap.delivering import delivery_thread
from wavecrawl.bootstrap.local_settings import DEFAULTS, LocalSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.tenants.role import Role

DASHBOARD_KEY_SECONDS = 12 * 3_600.0
"""How long the key of a link to the dashboard is valid."""


class BackgroundService(Protocol):
    """Work in the background. `start` returns at once; `stop` returns when the current work is done."""

    def start(self) -> None:
        """Start."""
        ...

    def stop(self) -> None:
        """Stop."""
        ...


class LocalServer:
    """A data folder being served: `store` is the API's backend, the rest works in the background."""

    def __init__(self, root: Path, settings: LocalSettings = DEFAULTS) -> None:
        self.store = store = LocalStore(root, settings)
        self._lock: FolderLock | None = None
        self.background: Sequence[BackgroundService] = (
            store.index_requests,  # before the crawls whose ends request it
            store.launcher,
            self._scheduler(),
            delivery_thread(store, contact=settings.contact, allowed=settings.allowed_addresses),
        )

    def first_key(self) -> str | None:
        """Create a key of role admin if the data folder's own tenant has no keys; return it, or None."""
        store, tenant = self.store, self.store.settings.tenant
        if store.keys.of_tenant(tenant):
            return None
        return create_key(tenant, role=Role.ADMIN, name="first key", keys=store.keys, now=store.clock.now()).secret

    def dashboard_key(self) -> str:
        """Create a key of role admin that is valid for 12 hours; return it."""
        store, now = self.store, self.store.clock.now()
        return create_key(
            store.settings.tenant,
            role=Role.ADMIN,
            name="dashboard",
            keys=store.keys,
            now=now,
            expires_at=now + DASHBOARD_KEY_SECONDS,
        ).secret

    def start(self) -> None:
        """Start the work in the background; raise ConflictError if another process serves this folder."""
        self._lock = serve_lock(self.store.root)  # two would deliver each message twice, and start each crawl twice
        for one in self.background:
            one.start()

    def stop(self) -> None:
        """Stop the work in the background, and close the store."""
        for one in reversed(self.background):
            one.stop()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        self.store.close()

    def _scheduler(self) -> LocalScheduler:
        store = self.store
        return LocalScheduler(
            store.schedules,
            lambda id_: start_scheduled(id_, store, store.settings),
            store.clock,
            delete_expired=store.url_lists.delete_expired,
        )
