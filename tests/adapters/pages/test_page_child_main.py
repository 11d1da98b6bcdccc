"""The loop of the child process that reads pages, run in this process: one reply per job, in order."""

import signal
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from msgspec import structs

from wavecrawl.adapters.pages import child
from wavecrawl.adapters.pages.messages import Reply, encoded_job, receive_job, receive_reply
from wavecrawl.domain.pages.extraction.reading import Reading, read_page

HOW = Reading(url="https://site.example/", cpu_seconds=7.0)


@pytest.fixture(autouse=True)
def timers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, float]]]:
    """Keep the timers and handlers of this process; yield the timers that the loop sets."""
    found: list[tuple[int, float]] = []
    monkeypatch.setattr(signal, "setitimer", lambda which, seconds: found.append((which, seconds)))
    before = {number: signal.getsignal(number) for number in (signal.SIGPROF, signal.SIGINT)}
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


def replies_to(*pages: str | bytes) -> list[Reply]:
    out = BytesIO()
    child.main(BytesIO(b"".join(data for page in pages for data in encoded_job(page, HOW))), out)
    out.seek(0)
    return list(iter(lambda: receive_reply(out.read), None))


def test_each_page_has_its_reply_and_a_budget_of_its_own(timers: list[tuple[int, float]]) -> None:
    assert [reply.content for reply in replies_to("<p>a", b"<p>b")] == [read_page("<p>a", HOW), read_page("<p>b", HOW)]
    assert timers == [(signal.ITIMER_PROF, 7.0), (signal.ITIMER_PROF, 0)] * 2


def test_the_kernel_ends_the_process_when_the_budget_is_spent() -> None:
    signal.signal(signal.SIGPROF, signal.SIG_IGN)
    replies_to("<p>a")
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_an_error_is_a_reply_and_the_next_page_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(html: bytes | str, how: Reading) -> Any:
        return read_page(html, how) if html == "<p>b" else html.index(1)  # type: ignore[arg-type]

    monkeypatch.setattr(child, "read_page", read)
    first, second = replies_to("<p>a", "<p>b")
    assert first.content is None
    assert "TypeError" in first.failure
    assert second.content == read_page("<p>b", HOW)


def test_a_job_that_arrives_in_part_is_none() -> None:
    whole = b"".join(encoded_job(b"<p>a page", structs.replace(HOW, is_dom=True)))
    assert receive_job(BytesIO(whole)) == (b"<p>a page", structs.replace(HOW, is_dom=True))
    assert {receive_job(BytesIO(whole[:size])) for size in (0, 4, 8, 20, len(whole) - 9, len(whole) - 1)} == {None}
