"""The limits of the HTTP server of `wavecrawl serve`."""

import msgspec


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What clients may use of the server. Durations are in seconds."""

    threads: int = 8  # requests that the API responds to at the same time
    connections: int = 500  # open at the same time; of more, the one that has waited longest is closed
    address_connections: int = 0  # of one network address; 0 = a quarter of `connections`
    streams: int = 100  # event streams that are kept open; further ones end after the events so far, as in AWS
    request_seconds: float = 15.0  # for the head of a request, and again for its body
    idle_seconds: float = 75.0  # until a connection without a request is closed
    unread_seconds: float = 60.0  # until a connection is closed because its client reads nothing
    event_seconds: float = 1.0  # between two looks for new events of a crawl
    heartbeat_seconds: float = 15.0  # without an event until a comment is sent, so that proxies keep the stream
    stop_seconds: float = 5.0  # for requests in progress when the service is stopped

    @property
    def key_threads(self) -> int:
        """Requests with the same API key that the API responds to at the same time. Others of it wait."""
        return max(1, self.threads // 2)

    @property
    def share(self) -> int:
        """Connections, and requests in progress, that one network address may have."""
        return self.address_connections or max(1, self.connections // 4)
