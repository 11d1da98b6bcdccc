"""A signed message starts one crawl, also if an attempt to start it was interrupted."""

from pathlib import Path

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.application import start_by_message as module
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.start_by_message import start_by_message
from wavecrawl.bootstrap.local_settings import DEFAULTS
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.errors import RepeatedMessageError, StoreBusyError

MESSAGE = SignedMessage(source="webhook", id="m1", token="m1")
REQUEST = CrawlRequest(url="https://example.com/", settings=CrawlSettings())


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path)
    store.clock = StillClock(1_795_255_200.0)  # type: ignore[assignment]
    return store


class KilledError(BaseException):
    """The process is killed."""


def test_an_attempt_after_a_killed_one_continues_with_its_crawl(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = []

    def killed(id_: object, *_: object) -> object:
        ids.append(id_)
        raise KilledError

    monkeypatch.setattr(module, "request_crawl", killed)
    with pytest.raises(KilledError):
        start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    monkeypatch.setattr(module, "request_crawl", request_crawl)
    with pytest.raises(RepeatedMessageError, match="another delivery of this message is starting a crawl"):
        start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    store.clock.time += 31.0  # type: ignore[attr-defined]
    started = start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    assert ([started.crawl], started.repeated) == (ids, False)
    again = start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    assert (again.crawl, again.status, again.repeated) == (started.crawl, "queued", True)
    store.close()


def test_a_message_can_be_sent_again_after_an_error(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:

    def busy(*_: object) -> object:
        raise StoreBusyError("no answer")

    monkeypatch.setattr(module, "request_crawl", busy)
    with pytest.raises(StoreBusyError):
        start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    monkeypatch.setattr(module, "request_crawl", request_crawl)
    started = start_by_message(MESSAGE, REQUEST, store, DEFAULTS)
    row = store.crawls.read(started.crawl)
    assert row is not None
    assert row.start_url == "https://example.com/"
    store.close()
