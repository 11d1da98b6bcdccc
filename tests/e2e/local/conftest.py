"""Worker processes of crawls that run inside the test's process."""

from collections.abc import Iterator

import pytest
from tests.support.quick_workers import quick_context

from wavecrawl.adapters.embedded import pool


@pytest.fixture(autouse=True, scope="module")
def _workers_start_quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pool, "get_context", quick_context)
        yield
