"""One exchange's traffic on a connection, under its deadline."""

import ssl
from socket import socket
from time import monotonic

from wavecrawl.adapters.http.faults import TransferError, one_line, timed_out
from wavecrawl.domain.fetching.exchange import TransportFault

_PIECE = 65_536  # bytes asked of the system at once


class Inbox:
    """Sends the request, and holds bytes received and not yet used.

    Every wait gets the time that is left until the deadline as its socket time-out. As each wait is one system call
    (or one TLS record, which Python times as a whole), a server that drips cannot stretch the sum.
    """

    __slots__ = ("_deadline", "_sock", "data", "heard")

    def __init__(self, sock: socket, *, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline  # monotonic seconds
        self.data = bytearray()
        self.heard = False  # whether anything ever arrived

    def send(self, message: bytes) -> None:
        """Send the request. Raise TransferError."""
        try:
            self._sock.settimeout(max(0.001, self._deadline - monotonic()))
            self._sock.sendall(message)
        except TimeoutError as error:
            raise timed_out("sending the request") from error
        except BrokenPipeError:
            pass  # a server may answer and close before it has read everything: the answer is still there to read
        except ssl.SSLError as error:
            raise TransferError(TransportFault.TLS, one_line(error)) from error
        except OSError as error:
            raise TransferError(TransportFault.RESET, f"the connection broke: {one_line(error)}") from error

    def more(self) -> bool:
        """Wait for bytes; return False where the server ended the connection. Raise TransferError."""
        left = self._deadline - monotonic()
        if left <= 0:
            raise timed_out("waiting for the server")
        try:
            self._sock.settimeout(left)
            piece = self._sock.recv(_PIECE)
        except TimeoutError as error:
            raise timed_out("waiting for the server") from error
        except ssl.SSLError as error:
            raise TransferError(TransportFault.TLS, one_line(error)) from error
        except OSError as error:
            raise TransferError(TransportFault.RESET, f"the connection broke: {one_line(error)}") from error
        if not piece:
            return False
        self.heard = True
        self.data += piece
        return True

    def take(self, count: int) -> bytes:
        """Remove and return at most `count` of the bytes that are here."""
        if count >= len(self.data):
            taken = bytes(self.data)
            self.data = bytearray()
            return taken
        taken = bytes(self.data[:count])
        del self.data[:count]
        return taken

    def line(self, limit: int, *, what: str) -> bytes:
        """Remove and return one line without its end; raise TransferError where there is none in `limit` bytes."""
        searched = 0
        while True:
            end = self.data.find(b"\n", searched)
            if end > limit or (end < 0 and len(self.data) > limit):
                raise TransferError(TransportFault.PROTOCOL, f"{what} is longer than {limit} bytes")
            if end >= 0:
                return self.take(end + 1).rstrip(b"\r\n")
            searched = len(self.data)
            if not self.more():
                raise TransferError(TransportFault.RESET, f"the server closed the connection inside {what}")
