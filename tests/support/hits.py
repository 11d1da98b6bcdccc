"""Requests that a loopback server received."""

from wavecrawl.demo.loopback import LoopbackServer


def hits(server: LoopbackServer, path: str) -> int:
    """Return the number of GET requests for a path with its query."""
    return sum(served.path == path and served.method == "GET" for served in list(server.log))
