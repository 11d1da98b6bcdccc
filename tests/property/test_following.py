"""A client that follows a crawl gets each event once and in order, wherever its connection breaks."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.campaign import examples
from tests.support.sse import EventSource

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.event_log import SqliteEventLog
from wavecrawl.api.routes.crawl_events import RETRY, event_stream, updates
from wavecrawl.application import crawl_events
from wavecrawl.application.crawl_events import follow_crawl
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.batches import Progress
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import CHANGED, ENDED, STARTED, LoggedEvent, planned

ID = CrawlId(tenant="t", site="s", crawl="c")
RUNNING = CrawlRow(id=ID, start_url="https://example.com/", root_url="", settings=CrawlSettings())
OVER = CrawlRow(
    id=ID, start_url="https://example.com/", root_url="", settings=CrawlSettings(), status=CrawlStatus.COMPLETED,
    finished_at=100.0,
)  # fmt: skip


def story(waves: int, *, changed: bool) -> list[LoggedEvent]:
    entries = [LoggedEvent(sequence=STARTED, kind=EventKind.STARTED, at=1.0)]
    entries += [LoggedEvent(sequence=planned(n), kind=EventKind.PROGRESS, at=2.0) for n in range(1, waves + 1)]
    if changed:
        entries.append(LoggedEvent(sequence=CHANGED, kind=EventKind.CHANGED, at=3.0))
    return [*entries, LoggedEvent(sequence=ENDED, kind=EventKind.COMPLETED, at=4.0)]


@settings(max_examples=examples(60), deadline=None)
@given(
    waves=st.integers(0, 6),
    changed=st.booleans(),
    at_once=st.integers(1, 4),
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 400)), max_size=30),
)
def test_every_event_comes_once_and_in_order(
    waves: int, *, changed: bool, at_once: int, steps: list[tuple[int, int]]
) -> None:
    """Some entries are written between two requests, and each response breaks off after some characters."""
    entries = story(waves, changed=changed)
    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "db.sqlite")
        log = SqliteEventLog(database)
        client, written, stopped = EventSource(), 0, False
        before, crawl_events.ENTRIES_PER_UPDATE = crawl_events.ENTRIES_PER_UPDATE, at_once
        try:
            for new, arriving in [*steps, *[(len(entries), 10_000)] * (len(entries) + 2)]:
                row = OVER if written == len(entries) else RUNNING
                for entry in entries[written : written + new]:
                    log.append(ID, entry)
                written = min(len(entries), written + new)
                after = int(client.last_event_id) if client.last_event_id else -1
                followed = follow_crawl(row, after=after, log=log, progress=Progress, now=101.0)
                if followed.over:
                    stopped = True
                    break
                client.read(event_stream(updates(row, followed), retry=RETRY)[:arriving])
        finally:
            crawl_events.ENTRIES_PER_UPDATE = before
            database.close()
    seen = [one.last_event_id for one in client.received if one.type != "progress"]
    assert seen == [str(entry.sequence) for entry in entries]
    assert stopped
