"""Events read from streams that end, break and resume."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted_api import NO_ANSWER, Scripted, ScriptedApi, problem, stream

from wavecrawl.client import ApiError, Client, RetryPolicy
from wavecrawl.client.event_stream import EventStream, ServerSentEvent

ENDED = Scripted(status=204)


def read(text: str, *, after: str = "") -> list[tuple[str, str, str]]:
    return [(one.id, one.event, one.data) for one in EventStream(after).read([text.encode()])]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("data: a\n\n", [("", "message", "a")]),
        ("data:a\n\ndata: b\n\n", [("", "message", "a"), ("", "message", "b")]),
        ("event: x\nid: 1\ndata: a\n\n", [("1", "x", "a")]),
        ("id: 1\ndata: a\n\ndata: b\n\n", [("1", "message", "a"), ("1", "message", "b")]),
        ("id: 1\ndata: a\n\nid\ndata: b\n\n", [("1", "message", "a"), ("", "message", "b")]),
        ("data: a\ndata: b\ndata\n\n", [("", "message", "a\nb\n")]),
        (": a comment\n\ndata:  a\r\n\r\n", [("", "message", " a")]),
        ("data: a\r\rdata: b\r\r", [("", "message", "a"), ("", "message", "b")]),
        ("event: x\n\ndata: a\n\n", [("", "message", "a")]),
        ("id: 1\0\ndata: a\n\n", [("", "message", "a")]),
        ("unknown: x\ndata: a\n\n", [("", "message", "a")]),
        ("\ufeffdata: a\n\n", [("", "message", "a")]),
        ("data\n\n", [("", "message", "")]),
        ("data: cut", []),
        ("data: cut\n", []),
    ],
)
def test_a_stream_is_read_as_browsers_read_it(text: str, events: list[tuple[str, str, str]]) -> None:
    """The cases are from the specification and from web-platform-tests' eventsource/format-*."""
    assert read(text) == events


@given(
    events=st.lists(
        st.tuples(st.integers(0, 9), st.text("aé\U0001f30a:", max_size=4), st.sampled_from("\n \r \r\n".split(" ")))
    ),
    cuts=st.lists(st.integers(1, 7), min_size=1),
)
def test_where_a_stream_is_cut_into_pieces_makes_no_difference(
    events: list[tuple[int, str, str]], cuts: list[int]
) -> None:
    text = "".join(f"id: {id_}{end}event: e{end}data: {data}{end}{end}" for id_, data, end in events).encode()

    def pieces() -> Iterator[bytes]:
        start, turn = 0, 0
        while start < len(text):
            yield text[start : start + cuts[turn % len(cuts)]]
            start, turn = start + cuts[turn % len(cuts)], turn + 1

    expected = [ServerSentEvent(id=str(id_), event="e", data=data) for id_, data, _ in events]
    assert list(EventStream().read(pieces())) == expected


def test_the_next_stream_does_not_continue_after_a_truncated_event() -> None:
    reader = EventStream()
    assert len(list(reader.read([b"id: 1\ndata: a\n\nid: 2\ndata: b\n"]))) == 1
    assert reader.last_event_id == "1"


def test_only_digits_say_how_long_to_wait() -> None:
    reader = EventStream()
    assert (list(reader.read([b"retry: soon\n\n"])), reader.retry) == ([], 3.0)
    assert (list(reader.read([b"retry: 250\n\n"])), reader.retry) == ([], 0.25)


def follow(*answers: Scripted, last_event_id: str = "") -> tuple[list[tuple[str, str, int]], list[str], list[float]]:
    """Return the events of a client, the event ids it resumed after, and its delays."""
    waits: list[float] = []
    with ScriptedApi(*answers) as api, Client(api.url, "k", retries=RetryPolicy(sleep=waits.append)) as client:
        seen = [(one.id, one.kind, one.data["n"]) for one in client.stream_events("c1", last_event_id=last_event_id)]
    assert {request.path for request in api.requests} == {"/v1/crawls/c1/events"}
    return seen, [request.headers.get("last-event-id", "") for request in api.requests], waits


def sent(id_: int, *, kind: str = "crawl.progress") -> str:
    return f'id: {id_}\nevent: {kind}\ndata: {{"n": {id_}}}\n\n'


def test_a_stream_is_resumed_until_the_crawl_has_ended() -> None:
    first = "retry: 2000\n\n" + sent(0, kind="crawl.started") + sent(2)
    seen, resumed, waits = follow(stream(first), stream(sent(4, kind="crawl.completed")), ENDED)
    assert seen == [("0", "crawl.started", 0), ("2", "crawl.progress", 2), ("4", "crawl.completed", 4)]
    assert (resumed, waits) == (["", "2", "4"], [2.0, 2.0])


def test_a_stream_that_breaks_is_resumed_after_its_last_whole_event() -> None:
    seen, resumed, _ = follow(stream(sent(0) + "id: 2\nda", breaks_off=True), NO_ANSWER, stream(sent(2)), ENDED)
    assert [id_ for id_, _, _ in seen] == ["0", "2"]
    assert resumed == ["", "0", "0", "2"]


def test_an_event_without_an_id_moves_nothing() -> None:
    snapshot = 'event: progress\ndata: {"n": 7}\n\n'
    seen, resumed, _ = follow(stream(sent(2) + snapshot), ENDED)
    assert seen == [("2", "crawl.progress", 2), ("2", "progress", 7)]
    assert resumed == ["", "2"]


def test_following_continues_after_the_last_event_id() -> None:
    seen, resumed, _ = follow(stream(sent(4)), ENDED, last_event_id="2")
    assert ([id_ for id_, _, _ in seen], resumed) == (["4"], ["2", "4"])


def test_a_crawl_that_is_not_there_is_named() -> None:
    with (
        ScriptedApi(problem(404, "there is no crawl c1")) as api,
        Client(api.url, "k") as client,
        pytest.raises(ApiError, match="there is no crawl c1"),
    ):
        list(client.stream_events("c1"))
