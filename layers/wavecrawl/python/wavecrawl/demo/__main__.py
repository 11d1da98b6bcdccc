"""Serve a generated site, or a folder, on loopback: `python -m wavecrawl.demo`."""

import argparse
import sys
from pathlib import Path
from random import Random
from threading import Event

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.plain import plain_site
from wavecrawl.demo.random_site import random_site
from wavecrawl.demo.server import FolderServer, SiteServer


def main() -> int:
    """Serve until Ctrl-C."""
    options = _options()
    try:
        server = _server(options)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - the message of a program
        return 2
    with server:
        print(f"serving {server.url}  (Ctrl-C stops)", flush=True)  # noqa: T201 - the message of a program
        try:
            Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


def _server(options: argparse.Namespace) -> LoopbackServer:
    if options.folder:
        return FolderServer(options.folder, port=options.port, latency=options.latency)
    if options.site == "plain":
        site = plain_site(pages=options.pages)
    elif options.site == "random":
        site = random_site(Random(options.seed), options.pages)  # noqa: S311 - a site, not a secret
    else:
        site = demo_site()
    return SiteServer(site, port=options.port, latency=options.latency)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m wavecrawl.demo", description="Serve a site on loopback")
    parser.add_argument("--site", choices=["demo", "plain", "random"], default="demo")
    parser.add_argument("--folder", type=Path, help="serve the files of this folder instead")
    parser.add_argument("--pages", type=int, default=2_000, help="pages of a plain or random site")
    parser.add_argument("--seed", type=int, default=0, help="seed of a random site")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (0: any free port)")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds to wait before each response")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
