"""The host gate in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.pace import Feedback, HostState, Window, adapt, reserve

_HOST = msgspec.msgpack.Decoder(HostState)
_encode = msgspec.msgpack.Encoder().encode


class SqliteHostGate:
    """`ports.host_gate.HostGate`: read, compute and write in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, host: str) -> HostState:
        """Return what is known of the host."""
        rows = self._database.rows("SELECT state FROM host WHERE host = ?", host)
        return _HOST.decode(rows[0][0]) if rows else HostState(host=host)

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts."""
        with self._database.transaction():
            state, window = reserve(self.read(host), holder=holder, count=count, interval=interval, now=now)
            self._write(state)
        return window

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Let the host's state follow from how it answered; return the new one."""
        with self._database.transaction():
            state = adapt(self.read(host), feedback, settings)
            self._write(state)
        return state

    def _write(self, state: HostState) -> None:
        self._database.change("INSERT OR REPLACE INTO host (host, state) VALUES (?, ?)", state.host, _encode(state))
