"""Media with real worker processes: a kill in the media phase, and other numbers of workers, change nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support.campaign import CAMPAIGN, slow
from tests.support.hits import hits
from tests.support.killed_crawls import kill_at, run
from tests.support.paused_site import PausedSite

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site

OPTIONS = ["--media", "all", "--interval", "0", "--in-flight", "2", "--no-adapt", "--wacz-mb", "0"]
DOCUMENTS = 12
IN_THE_MEDIA_PHASE = 10  # requests from the beginning: some of the documents are stored then, others are not


def site() -> Site:
    """Return a site whose only page links to documents."""
    (manual,) = [page for page in demo_site().pages if page.path == "/files/float-gauge.pdf"]
    paths = [f"/manuals/{number}.pdf" for number in range(DOCUMENTS)]
    root = Page(path="/", title="Manuals", text=("All manuals.",), links=tuple(Link(to=path) for path in paths))
    documents = (
        Page(path=path, content_type="application/pdf", body=(manual.body or b"") + b"%" + path.encode())
        for path in paths
    )
    return Site(pages=(root, *documents), name="Manuals")


@pytest.fixture(name="server")
def a_server() -> Iterator[PausedSite]:
    with PausedSite(site()) as server:
        yield server


def results(printed: dict[str, Any]) -> list[list[tuple[Any, ...]]]:
    exports = Path(printed["results"])
    media = duckdb.connect().read_parquet(str(exports / "media.parquet")).project("* EXCLUDE (fetched_at)").fetchall()
    return [media, duckdb.connect().read_parquet(str(exports / "media_uses.parquet")).fetchall()]


@slow
def test_a_crawl_that_is_killed_while_it_stores_media_is_resumed(server: PausedSite, tmp_path: Path) -> None:
    calm = results(run("crawl", server.url, "--data", str(tmp_path / "calm"), *OPTIONS, "--workers", "1"))
    assert [row[2] for row in calm[0]] == ["fetched"] * DOCUMENTS
    server.forget()

    data = str(tmp_path / "killed")
    kill_at(server, IN_THE_MEDIA_PHASE, "crawl", server.url, "--data", data, *OPTIONS, "--workers", "2")
    assert 0 < len([number for number in range(DOCUMENTS) if hits(server, f"/manuals/{number}.pdf")]) < DOCUMENTS
    assert results(run("resume", "--data", data, "--workers", "2")) == calm
    requests = [hits(server, f"/manuals/{number}.pdf") for number in range(DOCUMENTS)]
    assert min(requests) == 1
    assert sum(requests) <= DOCUMENTS + 2 * 2  # those in flight when it was killed
    stored = list((tmp_path / "killed").glob("tenants/local/media/documents/*.pdf"))
    assert len(stored) == DOCUMENTS


@pytest.mark.parametrize("workers", [2, 4] if CAMPAIGN else [4])
@slow
def test_the_number_of_workers_changes_nothing(server: PausedSite, tmp_path: Path, workers: int) -> None:
    one = run("crawl", server.url, "--data", str(tmp_path / "one"), *OPTIONS, "--workers", "1")
    more = run("crawl", server.url, "--data", str(tmp_path / "more"), *OPTIONS, "--workers", str(workers))
    assert results(more) == results(one)
