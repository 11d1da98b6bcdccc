"""The link `latest` in a data folder: to the results of its newest crawl."""

import os
from contextlib import suppress

from wavecrawl.bootstrap.store import LocalStore

LATEST = "latest"


def link_latest(store: LocalStore) -> None:
    """Let `latest` point to the results of the newest crawl that has some; remove it if there is none.

    A file or folder of this name is left alone. So is a system that has no links.
    """
    link = store.root / LATEST
    if link.exists() and not link.is_symlink():
        return
    folders = (store.results_folder(row.id) for row in store.crawls.newest_first() if row.has_results)
    newest = next((folder for folder in folders if folder.is_dir()), None)
    with suppress(OSError):
        if newest is None:
            link.unlink(missing_ok=True)
            return
        new = store.root / f".{LATEST}-{os.getpid()}"
        new.unlink(missing_ok=True)
        new.symlink_to(newest.relative_to(store.root), target_is_directory=True)
        new.replace(link)
