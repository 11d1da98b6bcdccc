"""The line that shows the progress of a crawl, and when it is printed."""

import re
from unittest.mock import PropertyMock, patch

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.state_machine import Progress
from wavecrawl.adapters.embedded.worker import Tally
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.cli.progress import LiveProgress
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.waits import Wait, WaitReason

SETTINGS = CrawlSettings(max_pages=1_000)


def after_two_seconds(clock: StillClock, settings: CrawlSettings = SETTINGS) -> LiveProgress:
    """Return the progress of a crawl that made 100 requests in 2 seconds, and read 50 pages."""
    live = LiveProgress(settings, quiet=False, fetched=100, seconds=30.0, now=clock.now)
    clock.sleep(2.0)
    live.on_tally(Tally(tries=60, fetched=50, errors={UrlState.NOT_FOUND: 8}))
    live.on_tally(Tally(tries=40, errors={UrlState.NOT_FOUND: 32, UrlState.FAILED: 2}))
    live.poll()
    return live


def test_the_line_has_pages_rate_time_left_and_errors_by_kind(clock: StillClock) -> None:
    line = after_two_seconds(clock).line()
    assert line == "opening 0 | 150/1,000 pages | 50.0 URLs/s | at most 0:00:34 left | 40 not found, 2 failed"


def test_the_limit_of_time_counts_from_the_start_of_the_crawl(clock: StillClock) -> None:
    line = after_two_seconds(clock, CrawlSettings(max_pages=1_000, max_seconds=40.0)).line()
    assert "at most 0:00:08 left" in line


def test_without_requests_nothing_is_left_to_estimate(clock: StillClock) -> None:
    assert LiveProgress(SETTINGS, quiet=False, now=clock.now).line() == "opening 0 | 0/1,000 pages | 0.0 URLs/s"


@pytest.mark.parametrize(("quiet", "lines"), [(False, 3), (True, 0)])
def test_without_a_terminal_a_line_is_printed_every_ten_seconds(
    clock: StillClock, capsys: pytest.CaptureFixture[str], quiet: int, lines: int
) -> None:
    with LiveProgress(SETTINGS, quiet=bool(quiet), now=clock.now) as live:
        for _ in range(35):
            clock.sleep(1.0)
            live.poll()
    assert capsys.readouterr().err.count("0/1,000 pages") == lines


def test_on_a_terminal_the_line_is_cut_off_at_80_columns(clock: StillClock) -> None:
    console = Console(width=80, force_terminal=True, stderr=True)
    with patch("wavecrawl.cli.console.Stream.console", PropertyMock(return_value=console)):
        live = after_two_seconds(clock)
        live.on_tally(Tally(errors={UrlState.HTTP_ERROR: 1_000, UrlState.FORBIDDEN: 100_000}))
        text = live._text()
    assert len(text.plain) == 80
    assert text.plain.startswith("opening 0 | 150/1,000 pages | 50.0 URLs/s | at most 0:00:34 left | 100,000")


def paused(clock: StillClock, wait: Wait | None) -> str:
    """Return the line of a crawl whose wave waits."""
    live = LiveProgress(SETTINGS, quiet=True, now=clock.now, clock=clock.now)
    result = WaveResult(wave=2, batches=1, urls=1, stopped=Reason.NONE, wait=wait)
    live.on_progress(Progress(phase=Phase.BFS, result=result))
    clock.sleep(100.0)
    live.poll()
    return live.line()


def test_a_paused_crawl_says_until_when_and_why_and_nothing_of_its_rate(clock: StillClock) -> None:
    asked = Wait(reason=WaitReason.RETRY_AFTER, host="a.example", until=clock.now() + 600.0, seconds=600.0)
    said = r"paused until \d\d:\d\d:\d\d: a\.example asked for it \(Retry-After 600 s\)"
    assert re.fullmatch(rf"bfs 2 \| 0/1,000 pages \| {said}", paused(clock, asked))


def test_a_slow_crawl_says_why(clock: StillClock) -> None:
    line = paused(clock, Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", seconds=10.0))
    assert line == "bfs 2 | 0/1,000 pages | slow: Crawl-delay 10 s of a.example"


def test_a_wait_that_is_over_is_not_shown(clock: StillClock) -> None:
    over = Wait(reason=WaitReason.OTHER_CRAWLS, host="a.example", until=clock.now() + 99.0)
    assert paused(clock, over) == "bfs 2 | 0/1,000 pages | 0.0 URLs/s"


def test_a_crawl_that_waits_to_read_sitemaps_says_so(clock: StillClock, capsys: pytest.CaptureFixture[str]) -> None:
    """No wave runs, so only the waits themselves print lines: the first one at once, and others after ten seconds."""
    delay = Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", seconds=6.0, for_sitemaps=True)
    with LiveProgress(SETTINGS, quiet=False, now=clock.now, clock=clock.now) as live:
        for _ in range(4):
            live.on_sitemap_wait(replace(delay, until=clock.now() + 6.0))
            clock.sleep(6.0)
        live.on_sitemap_wait(
            Wait(reason=WaitReason.RETRY, host="a.example", until=clock.now() + 9.0, for_sitemaps=True)
        )
        shown = live.line()
        clock.sleep(9.0)
        assert live.line() == "sitemaps 0 | 0/1,000 pages | reading"
        live.on_progress(Progress(phase=Phase.BFS, result=WaveResult(wave=1, batches=1, urls=1, stopped=Reason.NONE)))
        assert live.line() == "bfs 1 | 0/1,000 pages | 0.0 URLs/s"
    paused = r"sitemaps 0 \| 0/1,000 pages \| paused until \d\d:\d\d:\d\d: "
    assert re.fullmatch(rf"{paused}URLs of a\.example failed, and are requested again; reads sitemaps", shown)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2] for line in lines[:3]] == [
        *["Crawl-delay 6 s of a.example; reads sitemaps"] * 2,
        "URLs of a.example failed, and are requested again; reads sitemaps",
    ]


def test_on_a_terminal_a_wait_that_is_over_is_no_longer_shown(
    clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as a pipe is taken for a terminal only then
    console = Console(width=120, force_terminal=True, stderr=True)
    with patch("wavecrawl.cli.console.Stream.console", PropertyMock(return_value=console)):
        live = LiveProgress(SETTINGS, quiet=False, now=clock.now, clock=clock.now)
        assert live._live is not None
        wait = Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", until=clock.now() + 6.0, for_sitemaps=True)
        live.on_sitemap_wait(wait)
        assert "paused until" in str(live._live.get_renderable())
        clock.sleep(6.0)
        assert str(live._live.get_renderable()) == "sitemaps 0 | 0/1,000 pages | reading"
