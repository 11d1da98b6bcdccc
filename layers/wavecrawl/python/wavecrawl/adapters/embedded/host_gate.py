"""The host gate in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.windows import Turns, Window, give_back, reserve


class SqliteHostGate:
    """`ports.host_gate.HostGate`: read, compute and write in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hosts = PackedTable(database, "host", HostState, key=("host",))

    def read(self, host: str) -> HostState:
        """Return the state of a host."""
        return self._hosts.get(host) or HostState(host=host)

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns."""
        with self._database.transaction():
            state, window = reserve(self.read(host), turns, now=now)
            self._hosts.put(state)
        return window

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns."""
        with self._database.transaction():
            before = self.read(host)
            state = give_back(before, holder=holder, now=now)
            if state is not before:
                self._hosts.put(state)

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float) -> HostState:
        """Adapt the host's state to its responses, and give back turns; return the new state."""
        with self._database.transaction():
            state = give_back(adapt(self.read(host), feedback), holder=holder, now=now)
            self._hosts.put(state)
        return state
