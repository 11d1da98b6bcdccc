"""One embedded store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wavecrawl.bootstrap.store import LocalStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalStore]:
    opened = LocalStore(tmp_path)
    yield opened
    opened.close()
