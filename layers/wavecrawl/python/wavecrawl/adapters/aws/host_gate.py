"""The host gate in DynamoDB."""

import time
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from wavecrawl.adapters.aws.faults import OUTRUN, attempts
from wavecrawl.adapters.aws.names import Key, host_row, sender_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.adapters.packed_rows import Shape
from wavecrawl.domain.politeness.adaptive_pace import adapt, after_own
from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.sender import KEPT_SECONDS, PRODUCT
from wavecrawl.domain.politeness.windows import Turns, Window, give_back, reserve
from wavecrawl.errors import StoreBusyError

Result = TypeVar("Result")


class DynamoHostGate:
    """`ports.host_gate.HostGate`: read, compute, write if the row is unchanged; otherwise retry."""

    def __init__(self, table: Table, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = table
        self._hosts = PackedItems(table, HostState)
        self._senders = PackedItems(table, SenderState)
        self._sleep = sleep

    def read(self, host: str, *, sender: str = PRODUCT) -> HostState:
        """Return the state of a host, eventually consistent."""
        state = self._hosts.get(host_row(host), consistent=False) or HostState(host=host)
        return state if sender == PRODUCT else replace(state, own=self._own(host, sender))

    def reserve(self, host: str, turns: Turns, *, now: float) -> Window:
        """Reserve turns."""
        own = None if turns.sender == PRODUCT else self._own(host, turns.sender)
        return self._change(host, lambda state: reserve(state, turns, now=now, own=own))[1]

    def give_back(self, host: str, *, holder: str, now: float) -> None:
        """Give back the holder's unused turns."""
        self._change(host, lambda state: (give_back(state, holder=holder, now=now), None))

    def report(self, host: str, feedback: Feedback, *, holder: str, now: float, sender: str = PRODUCT) -> HostState:
        """Adapt the host's state to its responses, and give back turns; return the new state."""
        is_product = sender == PRODUCT
        state = self._change(
            host, lambda state: (give_back(adapt(state, feedback, own=is_product), holder=holder, now=now), None)
        )[0]
        if is_product:
            return state
        expires_at = int(now + KEPT_SECONDS)
        own, _ = self._update(
            sender_row(host, sender),
            self._senders,
            SenderState(),
            lambda own: (after_own(own, feedback), None),
            expires_at=expires_at,
        )
        return replace(state, own=own)

    def _own(self, host: str, sender: str) -> SenderState:
        return self._senders.get(sender_row(host, sender), consistent=False) or SenderState()

    def _change(self, host: str, change: Callable[[HostState], tuple[HostState, Result]]) -> tuple[HostState, Result]:
        return self._update(host_row(host), self._hosts, HostState(host=host), change)

    def _update(
        self,
        key: Key,
        items: PackedItems[Shape],
        new: Shape,
        change: Callable[[Shape], tuple[Shape, Result]],
        **attributes: int,
    ) -> tuple[Shape, Result]:
        """Change a row; if there is none, begin with `new`. Nothing is written if nothing changes."""
        row = self._table.get(key) or {}
        for _ in attempts(self._sleep, OUTRUN):
            before = items.unpack(row) if row else new
            state, result = change(before)
            if state is before:
                return state, result
            version = row.get("version", 0)
            item = items.item(state, version=version + 1, **attributes)
            condition = "#version = :version" if version else NEW
            values = {"version": version} if version else {}
            answer = self._table.put(NewRow(key=key, row=item, condition=condition, values=values))
            # botocore sends a write again if its response was lost: the repeat finds the item of the first.
            if answer.made or answer.row.get("packed") == item["packed"]:
                return state, result
            row = answer.row
        raise StoreBusyError(f"{key[0]}: its row was changed by others in every attempt. Try again later")
