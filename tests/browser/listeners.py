"""Listeners on loopback that record every connection and every datagram, and the sockets that the system has."""

import selectors
import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

_RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 6\r\n"
    b"Connection: close\r\n\r\nsecret"
)


class Listeners:
    """Servers that must not be reached. `seen` has what each received: where, and the first line."""

    def __init__(self, tcp: Iterable[tuple[str, int]], udp: Iterable[tuple[str, int]] = ()) -> None:
        self.seen: list[tuple[str, str]] = []
        self._tcp = [self._bound(socket.SOCK_STREAM, *one) for one in tcp]
        self._udp = [self._bound(socket.SOCK_DGRAM, *one) for one in udp]
        self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="listeners")
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        for one in self._tcp:
            one.listen(64)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wake[1].send(b".")
        for thread in (self._thread, *self._threads):
            thread.join()
        for one in (*self._tcp, *self._udp, *self._wake):
            one.close()

    @property
    def paths(self) -> set[str]:
        """The names of the ways that reached a listener: the last segment of the paths that were requested."""
        return {line.split(" ")[1].rpartition("/")[2] for _, line in self.seen if line.count(" ") >= 2}

    @staticmethod
    def _bound(kind: socket.SocketKind, host: str, port: int) -> socket.socket:
        one = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((host, port))
        return one

    def _serve(self) -> None:
        with selectors.DefaultSelector() as ready:
            for watched in (*self._tcp, *self._udp, self._wake[0]):
                ready.register(watched, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    one = key.fileobj
                    assert isinstance(one, socket.socket)
                    if one is self._wake[0]:
                        return
                    if one in self._udp:
                        self.seen.append((f"udp {one.getsockname()}", repr(one.recv(2_048)[:20])))
                    else:
                        self._accept(one)

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        where = f"tcp {listener.getsockname()[:2]}"
        self._threads.append(threading.Thread(target=self._respond, args=(connection, where), name="respond"))
        self._threads[-1].start()

    def _respond(self, connection: socket.socket, where: str) -> None:
        received = b""
        with connection, suppress(OSError):
            connection.settimeout(30.0)  # the browser closes connections that it does not use
            with suppress(TimeoutError):
                received = connection.recv(65_536)
            self.seen.append((where, received.split(b"\r\n", 1)[0][:200].decode("latin-1")))
            connection.sendall(_RESPONSE)


def free_port() -> int:
    """Return a port that is free on all loopback addresses of the tests, for TCP and UDP."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                with socket.socket() as second, socket.socket(socket.AF_INET6) as third:
                    second.bind(("127.0.0.2", port))
                    third.bind(("::1", port))
            except OSError:
                continue
            return port


class Sockets:
    """Looks at the system's table of sockets all the time, for remote addresses that must not appear."""

    def __init__(self, addresses: Iterable[str]) -> None:
        self.seen: set[str] = set()
        self._wanted = {_as_listed(address): address for address in addresses}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="sockets")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.02):
            for table in ("tcp", "udp"):
                for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
                    remote = line.split()[2].partition(":")[0]
                    if remote in self._wanted:
                        self.seen.add(self._wanted[remote])


def _as_listed(address: str) -> str:
    """Return an IPv4 address as /proc/net/tcp lists it: in the byte order of this machine (proc_net(5))."""
    return f"{int.from_bytes(socket.inet_aton(address), 'little'):08X}"
