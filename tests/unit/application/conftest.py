"""One embedded store for each test, and a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wavecrawl.bootstrap.store import LocalStore


class StillClock:
    def __init__(self) -> None:
        self.time = 1_700_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += max(0.0, seconds)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalStore]:
    opened = LocalStore(tmp_path)
    yield opened
    opened.close()
