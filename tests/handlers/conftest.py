from collections.abc import Callable, Iterator
from io import StringIO

import botocore.session
import pytest
from moto import mock_aws
from tests.contract.stores import moto_clients
from tests.support.emulator import CREDENTIALS
from tests.support.fake_browser import FakeBrowser
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


@pytest.fixture(name="render_with")
def browser_of_the_functions(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeBrowser], None]:
    """Return a function that sets the browser of render_batch."""

    def render_with(browser: FakeBrowser) -> None:
        monkeypatch.setattr("wavecrawl.cloud.render_batch.unpack_browser", lambda _: None)
        monkeypatch.setattr("wavecrawl.cloud.render_batch.LazyBrowser", lambda *_: browser)

    return render_with


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
