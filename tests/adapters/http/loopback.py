"""Small servers on loopback that send exactly the given bytes."""

import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from tests.support.patience import HANG

TLS = Path(__file__).parents[2] / "data" / "tls"
CA_FILE = str(TLS / "fake-test-certificate.pem")


class Peer:
    """The server's end of one connection."""

    def __init__(self, server: "Server", sock: socket.socket, number: int) -> None:
        self.server = server
        self.sock = sock
        self.number = number  # of this connection, from 0
        self._rest = b""

    def request(self) -> bytes:
        """Return the next request's head, or b"" if the client closed."""
        while b"\r\n\r\n" not in self._rest:
            piece = self.sock.recv(65_536)
            if not piece:
                return b""
            self._rest += piece
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        self.server.requests.append(head)
        return head

    def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.sock.sendall(piece)

    def drip(self, byte: bytes) -> None:
        """Send a byte every 20 ms until the client closes."""
        while not self.server.stopped.wait(0.02):
            self.sock.sendall(byte)

    def hold(self) -> None:
        """Send nothing until the test is over or the client closes."""
        with suppress(OSError):
            self.sock.recv(1)

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Talk = Callable[[Peer], None]


class Server:
    """Accepts connections and calls `talk` with each in its own thread."""

    def __init__(self, talk: Talk, *, tls: bool, address: str, port: int) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.server_names: list[str | None] = []
        self.stopped = Event()
        self._talk = talk
        self._tls = self._context() if tls else None
        self._open: list[socket.socket] = []
        self._threads: list[Thread] = []
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.create_server((address, port), family=family)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{f'[{address}]' if ':' in address else address}:{self.port}"

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CA_FILE, TLS / "fake-test-key.pem")

        def note(_sock: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
            self.server_names.append(name)

        context.sni_callback = note
        return context

    def run(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(sock)
            thread = Thread(target=self._serve, args=(sock, self.connections), daemon=True)
            self.connections += 1
            thread.start()
            self._threads.append(thread)

    def _serve(self, sock: socket.socket, number: int) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
                self._open.append(sock)
            self._talk(Peer(self, sock, number))
        sock.close()

    def stop(self) -> None:
        """End `run`, so that there are no new connections."""
        self.stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def close(self) -> None:
        """End the connections, after `run` has ended."""
        for sock in self._open:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(HANG)


@contextmanager
def serving(talk: Talk, *, tls: bool = False, address: str = "127.0.0.1", port: int = 0) -> Iterator[Server]:
    """Run a server during a test. Without `port`, it is a free one."""
    server = Server(talk, tls=tls, address=address, port=port)
    accepting = Thread(target=server.run, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        server.stop()
        accepting.join(HANG)
        server.close()


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Return a response with Content-Length."""
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers))
    return head.encode() + b"\r\n" + body


def responding(*pieces: bytes) -> Talk:
    """Send the same bytes for every request of a connection."""

    def talk(peer: Peer) -> None:
        while peer.request():
            peer.say(*pieces)

    return talk


def once(*pieces: bytes, then: Callable[[Peer], None] | None = None) -> Talk:
    """Respond to one request, then call `then`, then close."""

    def talk(peer: Peer) -> None:
        peer.request()
        peer.say(*pieces)
        if then is not None:
            then(peer)

    return talk
