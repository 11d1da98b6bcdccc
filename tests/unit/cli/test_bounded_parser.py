"""The work that the parser of requests does for one request."""

import h11
import pytest

from wavecrawl.cli.http_protocol import MOST_PIECES, MOST_RECEIVED, BoundedParser

HEAD = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"


def parser(*received: bytes) -> BoundedParser:
    made = BoundedParser()
    for data in received:
        made.receive_data(data)
    return made


def events(made: BoundedParser) -> list[object]:
    """Return the kinds of events until the parser waits."""
    found: list[object] = []
    while (event := made.next_event()) not in (h11.PAUSED, h11.NEED_DATA):
        found.append(type(event))
    return found


def test_a_body_waits_until_it_is_wanted() -> None:
    made = parser(HEAD, b"1\r\nx\r\n")
    assert events(made) == [h11.Request]
    assert (made.has_unread_body, made.pieces) == (True, 2)
    made.takes_body = True
    assert events(made) == [h11.Data]
    made.receive_data(b"0\r\n\r\n")
    assert events(made) == [h11.EndOfMessage]
    assert not made.has_unread_body


@pytest.mark.parametrize(
    "data",
    [
        [b"x"] * (MOST_PIECES + 1),  # a head in pieces of one byte
        [HEAD, *[b"1", b"\r\n", b"x", b"\r\n"] * MOST_PIECES],
        [HEAD, b"1\r\nx\r\n" * MOST_PIECES],
        [HEAD, *[b"1;" + b"e" * 16_000 + b"\r\nx\r\n"] * (MOST_RECEIVED // 16_000 + 1)],
    ],
    ids=["head", "pieces of chunks", "chunks", "extensions"],
)
def test_a_request_of_too_many_pieces_or_bytes_is_invalid(data: list[bytes]) -> None:
    made = parser(*data)
    made.takes_body = True
    with pytest.raises(h11.RemoteProtocolError):
        events(made)
    assert made.problem is not None
    assert "use content-length or larger chunks" in made.problem[1]
    assert made.pieces <= len(data) + MOST_PIECES + 1


def test_each_request_of_a_connection_has_the_limit() -> None:
    made = parser()
    seen = []
    for _ in range(MOST_PIECES):
        made.receive_data(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        seen += events(made)
        made.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
        made.send(h11.EndOfMessage())
        made.start_next_cycle()
    assert seen == [h11.Request, h11.EndOfMessage] * MOST_PIECES
