"""A loopback proxy for tests: it tunnels by CONNECT, and responds itself to requests with a whole URL.

It knows one server on loopback, to which all names lead.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

from tests.adapters.http.loopback import Peer, page

FORWARDED = b"<p>forwarded</p><a href=/next>next</a>"


def proxying(port: int, *, proof: str = "") -> Callable[[Peer], None]:
    """Return what a proxy does with a connection. `proof`: the Proxy-Authorization that it requires, "" for none."""

    def talk(peer: Peer) -> None:
        while request := peer.request():
            line, *fields = request.decode().split("\r\n")
            if proof and f"Proxy-Authorization: {proof}" not in fields:
                peer.say(page(b"who are you?", 'Proxy-Authenticate: Basic realm="p"', status="407 Required"))
            elif line.startswith("CONNECT "):
                peer.say(b"HTTP/1.1 200 Connection established\r\n\r\n")
                return _tunnel(peer.sock, port)
            else:
                peer.say(page(FORWARDED, "Content-Type: text/html", "Access-Control-Allow-Origin: *"))
        return None

    return talk


def _tunnel(client: socket.socket, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as server:
        sending = Thread(target=_pump, args=(client, server), daemon=True)
        sending.start()
        _pump(server, client)
        sending.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
