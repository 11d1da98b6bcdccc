"""The process that folds the parts of one crawl on one machine, while the crawl goes on."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from wavecrawl.adapters.embedded.folds import END
from wavecrawl.application.fold_wave import fold_ports, fold_wave
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import WavecrawlError

_MODULE: Final = "wavecrawl.bootstrap.fold_process"  # its __name__ is another where it is run
_LOWEST: Final = 19  # priority: the process gets the time that the crawl leaves


def command(root: Path, crawl: CrawlId) -> list[str]:
    """Return the command line of the process."""
    return [sys.executable, "-m", _MODULE, str(root), crawl.tenant, crawl.site, crawl.crawl]


def main(arguments: Sequence[str], lines: Iterable[str]) -> None:
    """Fold the parts whose numbers are in `lines`, until an empty line. The crawl's end folds those that fail."""
    from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter  # noqa: PLC0415 - the crawl loads no DuckDB

    root, tenant, site, crawl = arguments
    os.nice(_LOWEST)
    store = LocalStore(Path(root))
    id_ = CrawlId(tenant=tenant, site=site, crawl=crawl)
    try:
        with TemporaryDirectory(prefix="parts-", dir=store.folder(id_)) as scratch:
            ports = fold_ports(store, DuckDbPartWriter(), scratch=Path(scratch))
            for line in lines:
                if line.strip() == END:
                    break
                with suppress(WavecrawlError):
                    fold_wave(id_, int(line), ports)
    finally:
        store.close()


if __name__ == "__main__":
    main(sys.argv[1:], sys.stdin)
