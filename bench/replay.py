"""How full archives replay in ReplayWeb.page: `python -m bench.replay`, after `make replay browser-apps docs-sites`.

Each site is crawled with all screenshots and `--archive full`, and each page of its package is compared with the crawl.
Two sites are crawled twice: the package of the second crawl has to replay alone.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.report import setting, table, write_section
from tests.support.app_server import AppServer
from tests.support.browser_apps import APPS, built

from wavecrawl.adapters.replay.engine import find_engine
from wavecrawl.bootstrap.replay import verify_archive
from wavecrawl.domain.replay.page_match import GOAL, PageMatch

MANUAL: Final = Path("/usr/share/doc/python3.11-doc/html")
PAGES: Final = 22  # of the manual
CRAWL: Final = ("--render", "always", "--screenshots", "all", "--archive", "full", "--allow-address", "127.0.0.1/32")


def main() -> None:
    """Measure, and write the section."""
    find_engine()  # before minutes of crawls
    sites = [
        ("Python manual", MANUAL, False, 2),
        *((one.name, built() / one.name, one.empty, 1 + (one.name == "react")) for one in APPS),
    ]
    rows = []
    for name, folder, fallback, crawls in sites:
        for number, pages in enumerate(_replayed(folder, crawls, fallback=fallback)):
            rows.append(_row(f"{name}, second crawl" if number else name, pages))
            print(rows[-1], flush=True)
    text = f"""## Replay of full archives

{table(("site", "pages", "with screenshot", "least pixels", "least text", f"below {GOAL:g}", "missing URLs"), rows)}

Each page of a package is replayed by the engine of ReplayWeb.page and compared with the crawl (`wavecrawl archive
verify`): the share of equal pixels and of equal text. The applications are those of `tests/browser/apps`. The package
of a second crawl, of a site that has not changed, replays alone. {setting(("playwright", "pillow"))}"""
    write_section("replay", text)


def _replayed(folder: Path, crawls: int, *, fallback: bool) -> list[Sequence[PageMatch]]:
    """Return the compared pages of each crawl of a site."""
    found = []
    with TemporaryDirectory() as data:
        with AppServer(folder, fallback=fallback) as server:
            for _ in range(crawls):
                _run("crawl", server.url, "--data", data, "--max-pages", str(PAGES), "--quiet", *CRAWL)
                found.append(_run("export", "wacz", "--data", data).strip())
        return [verify_archive(Path(path), goal=GOAL, most=0).pages for path in found]


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "wavecrawl", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _row(name: str, pages: Sequence[PageMatch]) -> list[str]:
    pixels, text = (
        [share for page in pages if (share := getattr(page, kind)) is not None] for kind in ("pixels", "text")
    )
    return [
        name,
        str(len(pages)),
        str(len(pixels)),
        f"{min(pixels, default=0.0):.4f}",
        f"{min(text, default=0.0):.4f}",
        str(sum(not page.is_good(GOAL) for page in pages)),
        str(sum(len(page.missing) for page in pages)),
    ]


if __name__ == "__main__":
    main()
