"""`wavecrawl serve`: the REST API on one machine."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wavecrawl.adapters.embedded.message_secrets import MessageSecretFile
from wavecrawl.adapters.embedded.service_log import start_service_log
from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.cloud_settings import powertools_environment
from wavecrawl.cli.console import err, errors_explained, write_line
from wavecrawl.cli.network_options import CaFileOption, ProxyOption, apply_network
from wavecrawl.cli.sign_in_link import SignInLink
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.tenants.limits import MOST_RUNNING
from wavecrawl.errors import InvalidInputError, ReplayMissingError

if TYPE_CHECKING:
    from wavecrawl.adapters.replay.engine import ReplayEngine
    from wavecrawl.api.server_limits import ServerLimits
    from wavecrawl.bootstrap.store import LocalStore
    from wavecrawl.cli.http_server import HttpServer

# Without these, Powertools would write Lambda metrics to standard output.
_POWERTOOLS = {"POWERTOOLS_METRICS_DISABLED": "true", **powertools_environment("serve")}


def serve(
    *,
    data: Annotated[
        Path, typer.Option("--data", help="Folder for the data and results of crawls.", envvar="WAVECRAWL_DATA")
    ] = Path("wavecrawl-data"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 = any free port.")] = 8787,
    viewer_port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65_535,
            help="Port of the viewer of archives, which needs ReplayWeb.page (docs/usage.md). 0 = any free port. With "
            "--public-url there is no viewer.",
        ),
    ] = 0,
    public_url: Annotated[
        str,
        typer.Option(
            help="URL under which clients reach the API, for example that of a proxy. Used for download URLs. Default: "
            "http://HOST:PORT."
        ),
    ] = "",
    crawls: Annotated[
        int, typer.Option(min=1, max=64, help="Maximum number of active crawls. Further crawls are queued.")
    ] = 2,
    paused_crawls: Annotated[
        int,
        typer.Option(
            min=0,
            max=256,
            help="Maximum number of paused crawls that do not count toward --crawls. A paused crawl keeps its memory.",
        ),
    ] = 8,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, max=64, help="Number of worker processes per crawl.")
    ] = 2,
    indexings: Annotated[
        int,
        typer.Option(
            min=1,
            max=16,
            help="Maximum number of sites that are indexed for search at once, in addition to the crawls.",
        ),
    ] = 1,
    index_mb: Annotated[
        int, typer.Option(min=256, help="Maximum memory of a process that indexes a site, in MB.")
    ] = 1_024,
    wacz_mb: Annotated[
        int,
        typer.Option(
            min=0,
            help="Maximum MB of crawl.wacz, for replay tools. A larger file is not created; 0 = never create it.",
        ),
    ] = MOST_MB,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Number of threads that handle API requests.")] = 8,
    connections: Annotated[
        int,
        typer.Option(
            min=1,
            max=60_000,
            help="Maximum number of open connections. If there are more, the one that has waited longest for a request "
            "is closed.",
        ),
    ] = 500,
    address_connections: Annotated[
        int,
        typer.Option(
            min=0,
            max=60_000,
            help="Maximum number of open connections of one address (IPv6: a /64 network), and behind a proxy of its "
            "requests in progress; 0 = a quarter of --connections.",
        ),
    ] = 0,
    streams: Annotated[
        int,
        typer.Option(
            min=0,
            max=10_000,
            help="Maximum number of event streams that stay open. Further ones end after the events so far.",
        ),
    ] = 100,
    request_seconds: Annotated[
        float,
        typer.Option(
            min=0.1,
            max=3_600,
            help="Time a client has to send the head of a request, and again for its body. Then the connection is "
            "closed.",
        ),
    ] = 15.0,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Write a line of JSON per request to standard error.")
    ] = False,
    metrics_by_crawl: Annotated[
        bool,
        typer.Option(
            "--metrics-by-crawl",
            help="Give /metrics labels for tenant, site, crawl and host. Each crawl then adds about a hundred series.",
        ),
    ] = False,
    contact: Annotated[
        str,
        typer.Option(
            help="URL or e-mail address in the User-Agent, for owners of crawled sites.", envvar="WAVECRAWL_CONTACT"
        ),
    ] = "",
    allow_address: Annotated[
        list[str] | None,
        typer.Option(help="Non-public network that may be crawled, such as 10.0.0.0/8 or 10.1.2.3:8080. Repeatable."),
    ] = None,
    ca_file: CaFileOption = None,
    proxy: ProxyOption = None,
    cors_origin: Annotated[
        list[str] | None, typer.Option(help="Origin whose pages may call the API (CORS); '*' = any. Repeatable.")
    ] = None,
    max_running_crawls: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_RUNNING,
            help="Maximum number of running crawls per tenant, paused ones included. A tenant can have its own limit.",
        ),
    ] = 20,
    open_dashboard: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Create an API key of role admin that is valid for 12 hours, print a link that signs in to the "
            "dashboard with it, and open the link in a browser.",
        ),
    ] = False,
    max_list_urls: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Maximum number of URLs of an uploaded list.")
    ] = 1_000_000,
    max_list_mb: Annotated[
        int, typer.Option(min=1, max=500, help="Maximum size of an uploaded list and of its decompressed text, in MB.")
    ] = 100,
    requests_a_minute: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of requests per minute with one API key. The limit for all keys of a tenant together "
            "is three times as high.",
        ),
    ] = 600,
    wrong_keys_a_minute: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of requests per minute without a valid API key, per network address.",
        ),
    ] = 60,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            help="Address or network of a proxy in front of the service, whose header X-Forwarded-For names the "
            "client. Repeatable. Default: 127.0.0.1 and ::1.",
        ),
    ] = None,
) -> None:
    """Serve the dashboard and the REST API: run requested and scheduled crawls, deliver webhooks."""
    with errors_explained():
        _require_packages()
        apply_network(ca_file=ca_file, proxy=proxy)
        networks = tuple(allow_address or ())
        crawl_settings({"contact": contact, "allowed_addresses": networks}, bounds=OPERATOR_BOUNDS)
        proxies = _proxies(trusted_proxy)
        os.environ.update({name: value for name, value in _POWERTOOLS.items() if name not in os.environ})
        logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
        start_service_log()
        from wavecrawl.adapters.replay.viewer import viewer  # noqa: PLC0415 - after the environment
        from wavecrawl.bootstrap.local_settings import LocalSettings  # noqa: PLC0415 - the same
        from wavecrawl.bootstrap.serving import LocalServer  # noqa: PLC0415 - the same

        listener = _listener(host, port)
        port = listener.getsockname()[1]
        engine = None if public_url else _engine()
        shown = _listener(host, viewer_port) if engine else None
        settings = LocalSettings(
            base_url=public_url.rstrip("/") or f"http://{_url_host(host)}:{port}",
            viewer_url=f"http://{_url_host(host)}:{shown.getsockname()[1]}" if shown else "",
            most_crawls=crawls,
            most_paused=paused_crawls,
            workers=workers,
            most_indexings=indexings,
            index_mb=index_mb,
            wacz_mb=wacz_mb,
            contact=contact,
            allowed_addresses=networks,
            max_running_crawls=max_running_crawls,
            max_list_urls=max_list_urls,
            max_list_mb=max_list_mb,
            requests_a_minute=requests_a_minute,
            wrong_keys_a_minute=wrong_keys_a_minute,
            cors_origins=tuple(cors_origin or ()),
        )
        serving = LocalServer(data, settings)
        _ = serving.store.knowledge  # reports wrong variables of the environment at once
        key = serving.first_key()
        if key is not None:
            err.print("created the first API key, role admin; store it now, it cannot be shown again:")
            write_line(f"key {key}")
        link = SignInLink(base_url=settings.base_url, key=serving.dashboard_key() if open_dashboard else key)
        from wavecrawl.api.server_limits import ServerLimits  # noqa: PLC0415 - after the environment

        limits = ServerLimits(
            threads=threads,
            connections=connections,
            address_connections=address_connections,
            streams=streams,
            request_seconds=request_seconds,
        )
        server = _server(
            serving.store, listener, limits, logs_requests=access_log, by_crawl=metrics_by_crawl, proxies=proxies
        )
        server.end_on_signals()
        archives = viewer(shown, engine, serving.store.downloads.download) if shown and engine else None
        serving.start()
        try:
            if archives is not None:
                archives.start()
            write_line(f"dashboard {link.url}")
            write_line(f"listening {settings.base_url}")
            if open_dashboard:
                link.open(data)
            server.serve_until_stopped()
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a further Ctrl-C does not wait for crawls
            if archives is not None:
                archives.stop()
            serving.stop()


def _require_packages() -> None:
    """Raise InvalidInputError without the packages of the extra `serve`."""
    if any(find_spec(name) is None for name in ("aws_lambda_powertools", "jwt", "uvicorn")):
        raise InvalidInputError(
            "this command needs more packages. Install them: pip install '.[serve]' in wavecrawl's checkout"
        )


def _engine() -> "ReplayEngine | None":
    """Return the engine that replays archives, None if it is not installed."""
    from wavecrawl.adapters.replay.engine import find_engine  # noqa: PLC0415 - after the environment

    try:
        return find_engine()
    except ReplayMissingError:
        return None


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InvalidInputError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error


def _url_host(host: str) -> str:
    """Return the host as written in URLs."""
    return f"[{host}]" if ":" in host else host


def _server(
    store: "LocalStore",
    listener: socket.socket,
    limits: "ServerLimits",
    *,
    logs_requests: bool,
    by_crawl: bool,
    proxies: Sequence[str],
) -> "HttpServer":
    """Return the HTTP server of the API. It has loaded everything that it needs."""
    from wavecrawl.api.asgi import AsgiApi  # noqa: PLC0415 - after the environment
    from wavecrawl.api.downloads import downloads  # noqa: PLC0415 - the same
    from wavecrawl.api.local_webhooks import crawl_webhooks  # noqa: PLC0415 - the same
    from wavecrawl.api.metrics import live_metrics  # noqa: PLC0415 - the same
    from wavecrawl.api.middleware.wrong_keys import WrongKeys  # noqa: PLC0415 - the same
    from wavecrawl.cli.http_server import TRUSTED_PROXIES, HttpServer  # noqa: PLC0415 - the same
    from wavecrawl.telemetry import logger  # noqa: PLC0415 - after the environment

    logger.registered_handler.stream = sys.stderr  # type: ignore[attr-defined]
    secrets, wrong_keys = MessageSecretFile(store.root), WrongKeys()
    extras = (
        downloads(store.downloads.download),
        crawl_webhooks(store, secrets.read, base_url=store.settings.base_url),
        live_metrics(store, wrong_keys, by_crawl=by_crawl),
    )
    api = AsgiApi(
        store,
        limits=limits,
        extras=extras,
        uploads=store.uploads,
        wrong_keys=wrong_keys,
        logs_requests=logs_requests,
    )
    return HttpServer(api, listener, limits, trusted_proxies=proxies or TRUSTED_PROXIES)


def _proxies(trusted: Sequence[str] | None) -> Sequence[str]:
    """Return the proxies; raise InvalidInputError if one is neither an address nor a network."""
    for proxy in trusted or ():
        try:
            ip_network(proxy)
        except ValueError as error:
            raise InvalidInputError(f"--trusted-proxy {proxy}: use an IP address or a network: {error}") from error
    return trusted or ()
