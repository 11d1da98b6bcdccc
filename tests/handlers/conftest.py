from collections.abc import Iterator
from io import StringIO

import botocore.session
import pytest
from moto import mock_aws
from tests.contract.stores import moto_clients
from tests.support.emulator import CREDENTIALS
from tests.support.functions import Context, Deployment, deployment, environment_of

from wavecrawl.telemetry import about_nothing, logger

_SESSION = botocore.session.get_session()
"""Every function has its own clients. botocore's service models are loaded once."""


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    """The resources of the stack, over moto, for a single thread."""
    monkeypatch.setattr("botocore.session.get_session", lambda: _SESSION)
    with mock_aws(), environment_of(CREDENTIALS), deployment(moto_clients()) as made:
        yield made


@pytest.fixture
def context() -> Context:
    return Context()


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """The log lines of the functions from here on."""
    about_nothing()  # earlier tests may have left a crawl id in this thread's log context
    lines = StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", lines)
    return lines
