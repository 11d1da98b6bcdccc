"""The process in which `wavecrawl serve` indexes one site for one slice of time, at low priority."""

import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

from wavecrawl.adapters.embedded.index_jobs import MORE, SLICE, STOPPED
from wavecrawl.adapters.embedded.private_files import data_umask
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import ConflictError, IndexLimitError, KnowledgeMissingError, PermanentError, WavecrawlError

if TYPE_CHECKING:
    from wavecrawl.bootstrap.store import LocalStore
    from wavecrawl.ports.crawls import CrawlRow

DONE, FAILED = 0, 6
"""Exit codes, those of `wavecrawl index`."""

_PRIORITY: Final = 10  # of `nice`: crawls and the API come first
_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS")
_MODULE: Final = "wavecrawl.bootstrap.index_process"  # its __name__ is another where it is run


def command(root: Path, site: SiteId, *, memory_mb: int, seconds: float = SLICE) -> list[str]:
    """Return the command line of the process."""
    return [sys.executable, "-P", "-m", _MODULE, str(root), site.tenant, site.site, str(memory_mb), str(seconds)]


def main(arguments: Sequence[str]) -> int:
    """Index the newest crawl of a site; return the exit code. End early if the parent process has ended."""
    root, tenant, name, memory_mb, seconds = arguments
    signal.signal(signal.SIGTERM, _stop)
    os.umask(data_umask())
    os.nice(_PRIORITY)
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # each thread takes memory, too
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory_mb) * 2**20,) * 2)
    from wavecrawl.application.index_report import wanted_crawl  # noqa: PLC0415 - after the limits
    from wavecrawl.bootstrap.store import LocalStore  # noqa: PLC0415 - the same

    store = LocalStore(Path(root))
    try:
        site = SiteId(tenant=tenant, site=name)
        row = wanted_crawl(site, store.crawls)
        return DONE if row is None else _index(store, site, row, seconds=float(seconds), memory_mb=int(memory_mb))
    except KeyboardInterrupt:
        return STOPPED
    except WavecrawlError as error:
        sys.stderr.write(f"site {name} is not indexed: {error}\n")
        return FAILED
    finally:
        store.close()


def _index(store: "LocalStore", site: SiteId, row: "CrawlRow", *, seconds: float, memory_mb: int) -> int:
    """Index a crawl; store the problem if it cannot be. Raise TransientError if a retry may help."""
    from wavecrawl.application.index_report import texts_of  # noqa: PLC0415 - see above
    from wavecrawl.application.index_site import note_problem  # noqa: PLC0415 - the same
    from wavecrawl.bootstrap.knowledge import index_local_crawl  # noqa: PLC0415 - the same

    parent, end = os.getppid(), time.monotonic() + seconds

    def end_with_the_parent(_: object) -> None:
        if os.getppid() != parent:
            raise KeyboardInterrupt

    try:
        counts = index_local_crawl(
            store, row, end_with_the_parent, must_end=lambda: time.monotonic() >= end, patience=seconds
        )
    except MemoryError:
        problem = (
            f"indexing exceeded its memory limit of {memory_mb:,} MB. The pages indexed so far can be found. To index "
            "the rest, serve with a higher --index-mb, or crawl the site again with a lower knowledge.max_passages"
        )
    except IndexLimitError as error:  # the state of the index says so
        sys.stderr.write(f"site {site.site} is not indexed: {error}\n")
        return DONE
    except KnowledgeMissingError:
        return DONE
    except ConflictError:  # `wavecrawl index` has the site, perhaps with the texts of an earlier crawl
        return MORE
    except PermanentError as error:
        problem = str(error)
    else:
        return DONE if counts.is_complete else MORE
    note_problem(site, texts_of(row), problem, store.knowledge)
    sys.stderr.write(f"site {site.site} is not indexed: {problem}\n")
    return DONE


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
