"""The process in which `wavecrawl serve` runs one crawl."""

import os
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from wavecrawl.adapters.embedded.launcher import ELSEWHERE, UNWRITABLE
from wavecrawl.adapters.embedded.lock import PATIENCE, run_lock
from wavecrawl.adapters.embedded.measure_reports import MeasureReporter
from wavecrawl.adapters.embedded.pause_reports import PauseReporter
from wavecrawl.adapters.embedded.private_files import data_umask
from wavecrawl.application.crawl_events import publish_ending
from wavecrawl.bootstrap.local import Watchers, finish_local_crawl, make_local_files, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.errors import ConflictError, UnwritableError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow

DONE, FAILED, STOPPED = 0, 6, 130
"""Exit codes, those of `wavecrawl crawl`, as are those of the launcher."""

_NO_RESULTS: Final = "--no-results"
_MODULE: Final = "wavecrawl.bootstrap.crawl_process"  # its __name__ is another where it is run


def command(
    root: Path,
    crawl: CrawlId,
    *,
    workers: int,
    wacz_mb: int,
    makes_results: bool = True,
    files: Collection[ResultFile] = (),
) -> list[str]:
    """Return the command line of a crawl's process.

    Without workers, it makes `files` of an ended crawl, or without any, its results again.
    """
    names = (crawl.tenant, crawl.site, crawl.crawl)
    results = sorted(files) if makes_results else [_NO_RESULTS]
    return [sys.executable, "-P", "-m", _MODULE, str(root), *names, str(workers), str(wacz_mb), *results]


def main(arguments: Sequence[str]) -> int:
    """Run a crawl to its end; return the exit code. Stop between waves if the parent process has ended."""
    root, tenant, site, crawl, workers, wacz_mb, *options = arguments
    signal.signal(signal.SIGTERM, _stop)
    os.umask(data_umask())
    store = LocalStore(Path(root))
    try:
        row = store.crawls.read(CrawlId(tenant=tenant, site=site, crawl=crawl))
        if row is None or (workers == "0" and not row.status.has_ended):
            pass  # it was deleted, or resumed: then its own process follows
        elif not row.status.has_ended:
            makes_results = _NO_RESULTS not in options
            _crawl(store, row, workers=int(workers), wacz_mb=int(wacz_mb), makes_results=makes_results)
        elif workers == "0":
            _make_results(store, row, [ResultFile(name) for name in options], wacz_mb=int(wacz_mb))
        else:  # the previous process may have ended before it published
            publish_ending(row, log=store.event_log, events=store.events, pages=lambda: store.pages_so_far(row))
    except KeyboardInterrupt:
        return STOPPED
    except ConflictError:
        return ELSEWHERE
    except WavecrawlError as error:
        sys.stderr.write(f"crawl {crawl}: {error}\n")
        return UNWRITABLE if isinstance(error, UnwritableError) else FAILED
    finally:
        store.close()
    return DONE


def _crawl(store: LocalStore, row: CrawlRow, *, workers: int, wacz_mb: int, makes_results: bool) -> None:
    """Crawl, and build the results if it `makes_results`. Wait for an earlier process of the crawl to end."""
    parent = os.getppid()

    def end_with_the_parent() -> None:
        if os.getppid() != parent:
            raise KeyboardInterrupt

    measured = MeasureReporter()

    def poll() -> None:
        end_with_the_parent()
        measured.poll()

    watchers = Watchers(
        on_progress=measured.on_progress,
        on_tally=measured.on_tally,
        poll=poll,
        on_pause=PauseReporter().report,
    )
    _, summary = run_local_crawl(
        store,
        row,
        workers=workers,
        watchers=watchers,
        results=makes_results,
        wacz_mb=wacz_mb,
        patience=PATIENCE,
    )
    measured.end(summary)


def _make_results(store: LocalStore, row: CrawlRow, files: Sequence[ResultFile], *, wacz_mb: int) -> None:
    """Make files of an ended crawl, or without any, its results again, unless it was deleted meanwhile."""
    if files:
        make_local_files(store, row, files, wacz_mb=wacz_mb)
        return
    lock = run_lock(store.folder(row.id), patience=PATIENCE)
    try:
        now = store.crawls.read(row.id)
        if now is not None:
            finish_local_crawl(store, now, rebuild=True, wacz_mb=wacz_mb)
    finally:
        lock.release()


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
