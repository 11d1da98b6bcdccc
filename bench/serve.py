"""A server of one site on loopback: `python -m bench.serve KIND ...`.

Kinds: `folder PATH`, `plain PAGES BYTES`, `leaves PAGES`, `app NAME` (of tests/browser/apps), `focus`.

It prints the root URL when it listens, and ends when standard input is closed.
"""

import sys
from pathlib import Path

from tests.support.browser_apps import APPS
from tests.support.focus_site import focus_site
from tests.support.folder_server import FolderServer
from tests.support.leaf_site import leaf_site
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer


def main(arguments: list[str]) -> None:
    match arguments:
        case ["folder", root]:
            server: FolderServer | SiteServer = FolderServer(Path(root), record=False)
        case ["plain", pages, size]:
            server = SiteServer(plain_site(pages=int(pages), body_bytes=int(size)), record=False)
        case ["leaves", pages]:
            server = SiteServer(leaf_site(int(pages)), record=False)
        case ["app", name]:
            server = next(app for app in APPS if app.name == name).serve()
        case ["focus"]:
            server = SiteServer(focus_site().site, record=False)
        case _:
            sys.exit(__doc__)
    with server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
