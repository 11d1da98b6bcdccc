"""`wavecrawl serve`: the REST API on this machine."""

import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.application.packing import MOST_MB
from wavecrawl.cli.console import err, errors_explained, write_line
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from wavecrawl.bootstrap.serving import LocalService

_LARGEST_BODY = 1_048_576  # bytes that the server takes at all; the API's own limit is lower

# What belongs to functions of the cloud would write to standard output here.
_QUIET = {
    "POWERTOOLS_METRICS_DISABLED": "true",
    "POWERTOOLS_METRICS_NAMESPACE": "wavecrawl",
    "POWERTOOLS_SERVICE_NAME": "serve",
}


def serve(
    *,
    data: Annotated[
        Path, typer.Option("--data", help="Folder of the crawls' data and results.", envvar="WAVECRAWL_DATA")
    ] = Path("wavecrawl-data"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 = any that is free.")] = 8787,
    public_url: Annotated[
        str, typer.Option(help="Where clients find the API, where that is another address, such as a proxy's.")
    ] = "",
    crawls: Annotated[int, typer.Option(min=1, max=64, help="Crawls at once.")] = 2,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, max=64, help="Worker processes of each crawl.")] = 2,
    wacz_mb: Annotated[
        int, typer.Option(min=0, help="MB crawl.wacz may have; a larger crawl has none. 0 = never make it.")
    ] = MOST_MB,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Requests answered at once.")] = 8,
    contact: Annotated[str, typer.Option(help="URL or address the User-Agent names.", envvar="WAVECRAWL_CONTACT")] = "",
    allow_address: Annotated[
        list[str] | None, typer.Option(help="Network outside the public internet that may be crawled. Repeatable.")
    ] = None,
    cors_origin: Annotated[
        list[str] | None, typer.Option(help="Origin whose pages may call the API; '*' = any. Repeatable.")
    ] = None,
    requests_a_minute: Annotated[
        int, typer.Option(min=1, help="Requests a key may send in a minute; all keys of a tenant, three times as many.")
    ] = 600,
) -> None:
    """Serve the REST API, crawl what is asked for, keep schedules, deliver webhooks."""
    os.environ.update({name: value for name, value in _QUIET.items() if name not in os.environ})
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
    from wavecrawl.bootstrap.serving import LocalService, ServeSettings  # noqa: PLC0415 - after the environment

    with errors_explained():
        networks = tuple(allow_address or ())
        crawl_settings({"contact": contact, "allowed_addresses": networks}, bounds=OPERATOR_BOUNDS)
        listening = _listening(host, port)
        at = listening.getsockname()
        settings = ServeSettings(
            base_url=public_url.rstrip("/") or f"http://{_named(host)}:{at[1]}",
            most_crawls=crawls,
            workers=workers,
            wacz_mb=wacz_mb,
            contact=contact,
            allowed_addresses=networks,
            requests_a_minute=requests_a_minute,
            cors_origins=tuple(cors_origin or ()),
        )
        service = LocalService(data, settings)
        key = service.first_key()
        if key is not None:
            err.print("the first key of this folder, of role admin; it is shown this once:")
            write_line(f"key {key}")
        signal.signal(signal.SIGTERM, _stop)
        service.start()
        try:
            with suppress(KeyboardInterrupt):
                write_line(f"listening {settings.base_url}")
                _run(service, listening, threads=threads)
        finally:
            service.stop()


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InvalidInputError(f"nothing can listen on {host}, port {port}: {error.strerror or error}") from error


def _named(host: str) -> str:
    """Return a host as URLs have it."""
    return f"[{host}]" if ":" in host else host


def _run(service: "LocalService", listening: socket.socket, *, threads: int) -> None:
    """Answer until somebody ends the process, by Ctrl-C or SIGTERM."""
    from waitress.server import create_server  # noqa: PLC0415 - no other command needs it

    from wavecrawl.api.downloads import with_downloads  # noqa: PLC0415 - after the environment
    from wavecrawl.api.wsgi import wsgi_app  # noqa: PLC0415 - the same
    from wavecrawl.telemetry import logger  # noqa: PLC0415 - after the environment

    logger.registered_handler.stream = sys.stderr  # type: ignore[attr-defined]

    server = create_server(
        with_downloads(wsgi_app(service), service.exports.download),
        sockets=[listening],
        threads=threads,
        ident="",
        max_request_body_size=_LARGEST_BODY,
        clear_untrusted_proxy_headers=True,
    )
    server.run()  # returns on KeyboardInterrupt
