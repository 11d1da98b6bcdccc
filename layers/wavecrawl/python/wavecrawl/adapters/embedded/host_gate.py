"""The host gate in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.windows import Window, reserve


class SqliteHostGate:
    """`ports.host_gate.HostGate`: read, compute and write in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hosts = PackedTable(database, "host", HostState, key=("host",))

    def read(self, host: str) -> HostState:
        """Return the state of a host."""
        return self._hosts.get(host) or HostState(host=host)

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts."""
        with self._database.transaction():
            state, window = reserve(self.read(host), holder=holder, count=count, interval=interval, now=now)
            self._hosts.put(state)
        return window

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Adapt the host's state to its responses; return the new state."""
        with self._database.transaction():
            state = adapt(self.read(host), feedback, settings)
            self._hosts.put(state)
        return state
