"""Serve the demo site on loopback: `python -m wavecrawl.demo`."""

import argparse
import sys
from threading import Event

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer


def main() -> int:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m wavecrawl.demo", description="Serve the demo site on loopback")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (0: any free port)")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds to wait before each response")
    options = parser.parse_args()
    try:
        with SiteServer(demo_site(), port=options.port, latency=options.latency) as server:
            print(f"serving {server.url}  (Ctrl-C stops)")  # noqa: T201 - the message of a program
            allowed = f"--allow-address {server.host}:{server.port}"
            print(f"to crawl it from the dashboard: wavecrawl serve {allowed}", flush=True)  # noqa: T201 - the same
            Event().wait()
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - the message of a program
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
