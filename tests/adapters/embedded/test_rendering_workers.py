"""Render batches in the pool: beside fetch batches, with a lease of their own, and counted once."""

from multiprocessing import Pipe

import msgspec

from wavecrawl.adapters.embedded.worker import AT_ONCE, Message, Reporter, Tally
from wavecrawl.application.run_batch import lease_of
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.rendering.settings import RenderSettings

FETCHED = PageRecord(key="0" * 32, url="http://site.example/", depth=0, state=UrlState.FETCHED, bytes=100)


def test_a_rendered_page_is_counted_once() -> None:
    ours, theirs = Pipe()
    reporter = Reporter(theirs)
    reporter.watch(
        PageRecord(
            key="0" * 32, url="http://site.example/", depth=0, state=UrlState.DEFERRED, reason=Reason.RENDER, bytes=100
        )
    )
    reporter.watch_rendered(FETCHED)
    reporter._report()
    message = msgspec.msgpack.decode(ours.recv_bytes(), type=Message)
    assert message.tally == Tally(tries=1, fetched=1, bytes=100)


def test_the_browser_is_closed_when_the_worker_ends() -> None:
    _, theirs = Pipe()
    reporter = Reporter(theirs)
    ended: list[str] = []
    reporter.at_end(lambda: ended.append("browser"))
    reporter.end()
    assert ended == ["browser"]


def test_a_worker_renders_beside_its_fetch_batches() -> None:
    others = {BatchKind.MEDIA: 2, BatchKind.RESOURCE: 2, BatchKind.CHECK: 4}
    assert {BatchKind.FETCH: 2, BatchKind.RENDER: 1, **others} == AT_ONCE


def test_a_lease_is_long_enough_to_render_a_page() -> None:
    settings = CrawlSettings(waves=WaveSettings(lease=10.0), render=RenderSettings(timeout=60.0))
    assert (lease_of(BatchKind.FETCH, settings), lease_of(BatchKind.RENDER, settings)) == (10.0, 180.0)
    assert lease_of(BatchKind.RENDER, CrawlSettings()) == CrawlSettings().waves.lease
