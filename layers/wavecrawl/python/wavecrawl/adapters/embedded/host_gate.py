"""The host gate in SQLite."""

from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.adapters.packed_rows import PackedRows
from wavecrawl.domain.politeness.adaptive_pace import adapt, after_own
from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.sender import KEPT_SECONDS, PRODUCT
from wavecrawl.domain.politeness.windows import Turns, Window, give_back, reserve


class SqliteHostGate:
    """`ports.host_gate.HostGate`: read, compute and write in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hosts = PackedTable(database, "host", HostState, key=("host",))
        self._senders = PackedRows(SenderState)

    def read(self, host: str, *, sender: str = PRODUCT) -> HostState:
        """Return the state of a host."""
        state = self._host(host)
        return state if sender == PRODUCT else replace(state, own=self._own(host, sender))

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns."""
        with self._database.transaction():
            own = None if turns.sender == PRODUCT else self._own(host, turns.sender)
            state, window = reserve(self._host(host), turns, now=now, own=own)
            self._hosts.put(state)
        return window

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns."""
        with self._database.transaction():
            before = self._host(host)
            state = give_back(before, holder=holder, now=now)
            if state is not before:
                self._hosts.put(state)

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float, sender: str = PRODUCT) -> HostState:
        """Adapt the host's state to its responses, and give back turns; return the new state."""
        is_product = sender == PRODUCT
        with self._database.transaction():
            state = give_back(adapt(self._host(host), feedback, own=is_product), holder=holder, now=now)
            self._hosts.put(state)
            if is_product:
                return state
            before = self._own(host, sender)
            own = after_own(before, feedback)
            if own is not before:
                self._put_own(host, sender, own, now)
        return replace(state, own=own)

    def _host(self, host: str) -> HostState:
        return self._hosts.get(host) or HostState(host=host)

    def _own(self, host: str, sender: str) -> SenderState:
        rows = self._database.rows("SELECT packed FROM sender WHERE host = ? AND sender = ?", host, sender)
        return self._senders.unpack(rows[0][0]) if rows else SenderState()

    def _put_own(self, host: str, sender: str, own: SenderState, now: float) -> None:
        change = self._database.change
        change("DELETE FROM sender WHERE changed_at < ?", now - KEPT_SECONDS)
        change("INSERT OR REPLACE INTO sender VALUES (?, ?, ?, ?)", host, sender, now, self._senders.pack(own))
