"""The host gate in DynamoDB."""

import time
from collections.abc import Callable
from typing import TypeVar

from wavecrawl.adapters.aws.faults import OUTRUN, attempts
from wavecrawl.adapters.aws.names import host_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.windows import Turns, Window, give_back, reserve
from wavecrawl.errors import StoreBusyError

Result = TypeVar("Result")


class DynamoHostGate:
    """`ports.host_gate.HostGate`: read, compute, write if the row is unchanged; otherwise retry."""

    def __init__(self, table: Table, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = table
        self._hosts = PackedItems(table, HostState)
        self._sleep = sleep

    def read(self, host: str) -> HostState:
        """Return the state of a host, eventually consistent."""
        return self._hosts.get(host_row(host), consistent=False) or HostState(host=host)

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns."""
        return self._change(host, lambda state: reserve(state, turns, now=now))[1]

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns."""
        self._change(host, lambda state: (give_back(state, holder=holder, now=now), None))

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float) -> HostState:
        """Adapt the host's state to its responses, and give back turns; return the new state."""
        return self._change(host, lambda state: (give_back(adapt(state, feedback), holder=holder, now=now), None))[0]

    def _change(self, host: str, change: Callable[[HostState], tuple[HostState, Result]]) -> tuple[HostState, Result]:
        key = host_row(host)
        row = self._table.get(key) or {}
        for _ in attempts(self._sleep, OUTRUN):
            before = self._hosts.unpack(row) if row else HostState(host=host)
            state, result = change(before)
            if state is before:
                return state, result
            version = row.get("version", 0)
            item = self._hosts.item(state, version=version + 1)
            condition = "#version = :version" if version else NEW
            values = {"version": version} if version else {}
            answer = self._table.put(NewRow(key=key, row=item, condition=condition, values=values))
            # botocore sends a write again if its response was lost: the repeat finds the item of the first.
            if answer.made or answer.row.get("packed") == item["packed"]:
                return state, result
            row = answer.row
        raise StoreBusyError(f"host {host}: its row was changed by others in every attempt. Try again later")
