"""The memory of a site is the same whatever crashes, repeats and overtakes while pages are added to it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.campaign import examples
from tests.support.failing_memory import Crash, FailingMemoryFiles
from tests.support.page_memories import Page, memory_rows, write_pages

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.domain.crawl.job import CrawlId

SITE = CrawlId(tenant="t", site="example.com", crawl="")
KEYS = ["00", "01", "10", "f0"]
STATES = ["fetched", "fetched", "unchanged", "not_found", "failed", "redirected"]
STATUSES = {"not_found": 404, "redirected": 302}
ROWS_PER_FILE = 2  # so that the memory is divided as it grows


@dataclass(frozen=True)
class Fold:
    """Some files of a crawl's pages are added, and at some write the process dies or another one overtakes it."""

    files: int  # how many
    at: int  # the write; 0 = none
    overtaken: bool


Met = tuple[str, int, str, str]  # url key, file, state, text

crawls = st.lists(
    st.tuples(
        st.lists(
            st.tuples(
                st.sampled_from(KEYS), st.integers(0, 1), st.sampled_from(STATES), st.sampled_from(["xx", "xy", "yy"])
            ),
            unique_by=lambda met: met[0],
            min_size=1,
        ),
        st.lists(st.builds(Fold, files=st.integers(1, 2), at=st.integers(0, 6), overtaken=st.booleans()), max_size=2),
        st.booleans(),  # whether the files of the crawl before are added once more, late
    ),
    min_size=1,
    max_size=3,
)


def expected(met: Sequence[tuple[CrawlId, Page]]) -> dict[str, dict[str, object]]:
    """Return the memory of each page, from its requests in order."""
    known: dict[str, dict[str, object]] = {}
    for crawl, page in met:
        before, at = known.get(page.key), page.fetched_at
        row = dict(
            before
            or {"key": page.key, "url": page.url, "state": "", "etag": "", "last_modified": "", "body_hash": "",
                "text_hash": "", "simhash": 0, "title": "", "crawl": "", "batch": "",
                "first_seen": at, "last_changed": 0.0, "link_hash": "", "observations": [], "failures": 0,
                "deleted_at": 0.0, "lastmod": "", "lastmod_dates": 0, "lastmod_right": 0,
                "parent": "", "reach": "", "slash": False, "spaces": True}
        )  # fmt: skip
        state = "fetched" if page.state == "unchanged" else page.state
        if state != row["state"]:
            row |= {"state": state, "state_since": at}
        if page.state == "fetched" or (page.state == "unchanged" and not row["batch"]):
            changed = at if not row["last_changed"] or row["text_hash"] != page.text_hash else row["last_changed"]
            compared = bool(row["batch"])
            other = {
                "text": compared and row["text_hash"] != page.text_hash,
                "links": compared and row["link_hash"] != page.link_hash,
            }
            row |= {"text_hash": page.text_hash, "crawl": crawl.crawl, "batch": page.batch, "last_changed": changed}
            row |= {"link_hash": page.link_hash}
        else:
            other = {"text": False, "links": False}
        if state == "fetched":
            row["observations"] = [*list(row["observations"]), {"at": at, **other}]  # type: ignore[call-overload]
        failing = state == "failed"
        twice = state == "redirected" and before is not None and before["state"] == "redirected" and row["batch"]
        gone = state == "not_found" or twice
        row["deleted_at"] = 0.0 if state == "fetched" else row["deleted_at"] or (at if gone else 0.0)
        row["failures"] = int(str(row["failures"])) + 1 if failing else 0
        known[page.key] = row | {"last_seen": at, "depth": page.depth, "seen_in": crawl.crawl}
    return known


@settings(max_examples=examples(6), deadline=None)
@given(crawls)
def test_crashes_repeats_and_overtaking_change_nothing(
    story: list[tuple[list[Met], list[Fold], bool]],
) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)

        def add(
            crawl: CrawlId, files: Sequence[Path], *, at: int = 0, strike: Callable[[], None] = lambda: None
        ) -> None:
            stored = FailingMemoryFiles(root, at, strike)
            ParquetPageMemories(stored, lambda: root, rows_per_file=ROWS_PER_FILE).remember(crawl, files)

        met: list[tuple[CrawlId, Page]] = []
        before: tuple[CrawlId, list[Path]] | None = None
        for number, (pages, folds, late) in enumerate(story, 1):
            crawl = replace(SITE, crawl=f"c{number}")
            found = [
                (
                    file,
                    Page(
                        key=key,
                        state=state,
                        reason="status" if state in STATUSES else "",
                        status=STATUSES.get(state, 200),
                        text_hash=text[0],
                        link_hash=text[1],
                        depth=number,
                        batch=f"00000{number}-0000-1",
                        fetched_at=number * 1e3,
                    ),
                )
                for key, file, state, text in pages
            ]
            met += [(crawl, page) for _, page in found]
            files = [
                write_pages(root / f"{number}-{part}.parquet", [page for file, page in found if file == part])
                for part in range(2)
            ]
            for fold in folds:

                def strike(crawl: CrawlId = crawl, files: Sequence[Path] = files, fold: Fold = fold) -> None:
                    if not fold.overtaken:
                        raise Crash
                    add(crawl, files)

                with suppress(Crash):
                    add(crawl, files[: fold.files], at=fold.at, strike=strike)
            if late and before is not None:
                add(*before)
            add(crawl, files)
            before = crawl, files
        assert {str(row["key"]): row for row in memory_rows(root, SITE)} == expected(met)
