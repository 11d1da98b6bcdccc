"""The host gate in DynamoDB."""

import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, int_of, number
from wavecrawl.adapters.aws.faults import OUTRUN, attempts
from wavecrawl.adapters.aws.names import (
    host_row,
)
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.pace import Feedback, HostState, Window, adapt, reserve
from wavecrawl.errors import StoreBusyError

_HOST = msgspec.msgpack.Decoder(HostState)
_encode = msgspec.msgpack.Encoder().encode
Result = TypeVar("Result")
_NEW = "attribute_not_exists(#pk)"


class DynamoHostGate:
    """`ports.host_gate.HostGate`: read, compute, write where nobody was quicker; otherwise once more."""

    def __init__(self, table: Table, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = table
        self._sleep = sleep

    def read(self, host: str) -> HostState:
        """Return what is known of the host."""
        return _host(host, self._table.get(host_row(host), consistent=False))

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts."""
        return self._change(host, lambda s: reserve(s, holder=holder, count=count, interval=interval, now=now))[1]

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Let the host's state follow from how it answered; return the new one."""
        return self._change(host, lambda state: (adapt(state, feedback, settings), None))[0]

    def _change(self, host: str, change: Callable[[HostState], tuple[HostState, Result]]) -> tuple[HostState, Result]:
        row = self._table.get(host_row(host)) or {}
        for _ in attempts(self._sleep, OUTRUN):
            version = int_of(row, "version")
            state, result = change(_host(host, row))
            data = _encode(state)
            answer = self._table.put(
                NewRow(
                    key=host_row(host),
                    row={"state": binary(data), "version": number(version + 1)},
                    condition="#version = :version" if version else _NEW,
                    values={":version": number(version)} if version else {},
                )
            )
            # A write that was sent twice, as its first answer was lost, meets itself.
            mine = int_of(answer.row, "version") == version + 1 and bytes_of(answer.row, "state") == data
            if answer.made or mine:
                return state, result
            row = answer.row
        raise StoreBusyError(f"host {host}: others changed its row again and again")


def _host(host: str, row: Row | None) -> HostState:
    return _HOST.decode(bytes_of(row, "state")) if row else HostState(host=host)
