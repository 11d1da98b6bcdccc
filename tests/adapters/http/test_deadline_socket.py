"""Sends and receives with a deadline, in cases that no server can cause reliably."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from time import monotonic

import pytest
from tests.support.patience import HANG

from wavecrawl.adapters.http.deadline_socket import DeadlineSocket
from wavecrawl.adapters.http.transfer_errors import TransferError, one_line
from wavecrawl.domain.fetching.exchange import TransportFault


@contextmanager
def socket_pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with closing(one), closing(other):
        yield one, other


def test_the_response_of_a_server_that_closed_before_the_request_was_sent_can_be_read() -> None:
    with socket_pair() as (sock, server):
        server.sendall(b"HTTP/1.1 413 Too Large\r\n")
        server.close()
        stream = DeadlineSocket(sock, deadline=monotonic() + HANG)
        stream.send(b"x" * 1_000_000)
        assert stream.receive()
        assert stream.take_line(100, what="the status line") == b"HTTP/1.1 413 Too Large"


def test_sending_to_a_server_that_does_not_read_ends_at_the_deadline() -> None:
    with socket_pair() as (sock, _), pytest.raises(TransferError) as caught:
        DeadlineSocket(sock, deadline=monotonic() + 0.1).send(b"x" * 9_000_000)  # more than the system's buffers hold
    assert caught.value.fault is TransportFault.TIMEOUT
    assert caught.value.detail == "the deadline passed while sending the request"


def test_receiving_after_the_deadline_does_not_wait() -> None:
    with socket_pair() as (sock, server):
        server.sendall(b"late")
        stream = DeadlineSocket(sock, deadline=monotonic() - 1)
        with pytest.raises(TransferError) as caught:
            stream.receive()
    assert caught.value.fault is TransportFault.TIMEOUT
    assert not stream.has_received


@pytest.mark.parametrize(
    ("failure", "fault"),
    [
        (ssl.SSLError(1, "bad record"), TransportFault.TLS),
        (ConnectionResetError(104, "reset by peer"), TransportFault.RESET),
        (TimeoutError("timed out"), TransportFault.TIMEOUT),
    ],
)
def test_a_connection_that_breaks_while_sending_is_a_fault(failure: OSError, fault: TransportFault) -> None:
    class Breaking(socket.socket):
        def sendall(self, *_: object) -> None:
            raise failure

    with Breaking(socket.AF_INET, socket.SOCK_STREAM) as sock, pytest.raises(TransferError) as caught:
        DeadlineSocket(sock, deadline=monotonic() + HANG).send(b"GET / HTTP/1.1\r\n\r\n")
    assert caught.value.fault is fault


@pytest.mark.parametrize(
    ("text", "line"), [("plain", "plain"), ("a\r\nb\x1b[0m", "a  b [0m"), ("x" * 300, "x" * 200), (OSError(), "")]
)
def test_details_are_one_printable_line(text: object, line: str) -> None:
    assert one_line(text) == line
