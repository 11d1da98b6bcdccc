"""CPU time of one fetch over a kept connection: `python -m bench.page_client [--peer CHECKOUT]`.

The server is a process of its own and sends the same bytes to every request. `--peer` is another checkout of wavecrawl.
Both take short turns and each round has a ratio of its own, so that the result holds on a busy machine.
"""

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from time import process_time

from bench.report import table

ROOT = Path(__file__).parents[1]
FETCHES = 500  # per turn

BODY = b"<p>hello, wide world</p>" * 200
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 22 Nov 2026 12:00:00 GMT\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
    b'ETag: "65f-1c2"\r\nVary: Accept-Encoding\r\nCache-Control: max-age=3600\r\nX-Frame-Options: DENY\r\n'
    b"Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/\r\nConnection: keep-alive\r\n\r\n" % len(BODY)
) + BODY


def serve(listener: socket.socket) -> None:
    """Send RESPONSE to every request of every connection."""
    while True:
        sock, _ = listener.accept()
        Thread(target=_respond, args=(sock,), daemon=True).start()


def _respond(sock: socket.socket) -> None:
    with sock:
        while sock.recv(65_536):  # a request fits into one piece
            sock.sendall(RESPONSE)


def take_turns(url: str) -> None:
    """For each line of standard input, print the CPU time of one fetch in microseconds."""
    module = import_module("wavecrawl.adapters.http.client")  # of the checkout on PYTHONPATH
    client = module.RequestsPageClient(user_agent="bench/1 (+https://example.com)", allowed=("127.0.0.0/8",))
    for _ in sys.stdin:
        start = process_time()
        for number in range(FETCHES):
            exchange = client.fetch(module.FetchRequest(url=f"{url}/page/{number}"))
            if exchange.body != BODY:
                raise AssertionError(f"not the body that was sent: {exchange}")
        print((process_time() - start) / FETCHES * 1e6, flush=True)


class Checkout:
    """A process that fetches with the code of one checkout."""

    def __init__(self, folder: Path, url: str) -> None:
        paths = os.pathsep.join((str(folder / "layers" / "wavecrawl" / "python"), str(ROOT)))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.page_client", "--take-turns", url],
            env={**os.environ, "PYTHONPATH": paths},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.turn()  # warms up

    def turn(self) -> float:
        """Return the CPU time of one fetch in microseconds."""
        send, receive = self._process.stdin, self._process.stdout
        if send is None or receive is None:
            raise AssertionError("the process has no pipes")
        send.write("\n")
        send.flush()
        return float(receive.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def measure(folders: Sequence[Path], *, rounds: int) -> list[tuple[float, ...]]:
    """Return for each round the CPU time of one fetch in microseconds, by checkout."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = get_context("fork").Process(target=serve, args=(listener,), daemon=True)
        server.start()
        checkouts = [Checkout(folder, f"http://127.0.0.1:{listener.getsockname()[1]}") for folder in folders]
        found = [tuple(checkout.turn() for checkout in checkouts) for _ in range(rounds)]
        for checkout in checkouts:
            checkout.close()
        server.terminate()
        server.join()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.page_client", description="Measure the CPU time of a fetch")
    parser.add_argument("--peer", type=Path, help="another checkout to compare with")
    parser.add_argument("--rounds", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--take-turns", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.take_turns:
        take_turns(options.take_turns)
        return 0
    folders = {"this checkout": ROOT} | ({"the peer": options.peer} if options.peer else {})
    rounds = measure(list(folders.values()), rounds=options.rounds)
    rows = []
    for name, times in zip(folders, zip(*rounds, strict=True), strict=True):
        low, middle, high = quantiles(times, n=4)
        rows.append([name, f"{middle:.1f}", f"{low:.1f}-{high:.1f}"])
    print(table(["", "us CPU a fetch, median", "quartiles"], rows))
    if options.peer:
        ratio, more = median(ours / theirs for ours, theirs in rounds), median(ours - theirs for ours, theirs in rounds)
        print(
            f"\nThis checkout takes {ratio:.2f} times the peer's CPU time, {more:+.1f} us a fetch (medians of rounds)."
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
