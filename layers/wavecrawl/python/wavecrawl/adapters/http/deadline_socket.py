"""A socket under a deadline, with a buffer of received bytes."""

import ssl
from socket import socket
from time import monotonic

from wavecrawl.adapters.http.transfer_errors import TransferError, one_line, protocol_error, timed_out
from wavecrawl.domain.fetching.exchange import TransportFault

_RECEIVE_SIZE = 65_536  # bytes per system call


class DeadlineSocket:
    """The connection of one exchange: sends the request and buffers what the server sends.

    The time left until the deadline is set as the socket's timeout before every wait. A wait is one system call, or
    one TLS record, which Python times as a whole. A server that sends byte by byte therefore cannot extend the sum.
    """

    __slots__ = ("_deadline", "_sock", "buffer", "has_received")

    def __init__(self, sock: socket, *, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline  # monotonic seconds
        self.buffer = bytearray()  # received and not yet taken
        self.has_received = False  # whether the server sent anything at all

    def extend_deadline(self, seconds: float) -> None:
        """Let the exchange end later."""
        self._deadline += seconds

    def end_within(self, seconds: float) -> None:
        """Let the exchange end no later than in this time."""
        self._deadline = min(self._deadline, monotonic() + seconds)

    def send(self, message: bytes) -> None:
        """Send the request. Raise TransferError."""
        try:
            self._sock.settimeout(max(0.001, self._deadline - monotonic()))
            self._sock.sendall(message)
        except TimeoutError as error:
            raise timed_out("sending the request") from error
        except BrokenPipeError:
            pass  # the server may respond and close before it has read the whole request: the response can be read
        except ssl.SSLError as error:
            raise TransferError(TransportFault.TLS, one_line(error)) from error
        except OSError as error:
            raise TransferError(TransportFault.RESET, f"the connection broke: {one_line(error)}") from error

    def receive(self) -> bool:
        """Wait for bytes and add them to the buffer; return False if the server closed. Raise TransferError."""
        left = self._deadline - monotonic()
        if left <= 0:
            raise timed_out("waiting for the server")
        try:
            self._sock.settimeout(left)
            piece = self._sock.recv(_RECEIVE_SIZE)
        except TimeoutError as error:
            raise timed_out("waiting for the server") from error
        except ssl.SSLError as error:
            raise TransferError(TransportFault.TLS, one_line(error)) from error
        except OSError as error:
            raise TransferError(TransportFault.RESET, f"the connection broke: {one_line(error)}") from error
        if not piece:
            return False
        self.has_received = True
        self.buffer += piece
        return True

    def take(self, count: int) -> bytes:
        """Remove at most `count` bytes from the buffer and return them."""
        if count >= len(self.buffer):
            taken = bytes(self.buffer)
            self.buffer = bytearray()
            return taken
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def take_line(self, limit: int, *, what: str) -> bytes:
        """Remove a line from the buffer and return it without its end, waiting for it if necessary.

        Raise TransferError if the line is longer than `limit` bytes or the server closes inside it. `what` names the
        line in the error.
        """
        searched = 0
        while True:
            end = self.buffer.find(b"\n", searched)
            if end > limit or (end < 0 and len(self.buffer) > limit):
                raise protocol_error(f"{what} is longer than {limit} bytes")
            if end >= 0:
                return self.take(end + 1).rstrip(b"\r\n")
            searched = len(self.buffer)
            if not self.receive():
                raise TransferError(TransportFault.RESET, f"the server closed the connection inside {what}")
