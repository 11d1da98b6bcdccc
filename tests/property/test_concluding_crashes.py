"""The end of a crawl changes the memory of its site once, whatever crashes, repeats and overtakes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.campaign import examples, slow
from tests.support.failing_memory import Crash, FailingMemoryFiles
from tests.support.page_memories import Page, Url, crawl_end, memory_rows, write_pages, write_urls

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.page_memories import Lastmod
from wavecrawl.ports.parts import Table

SITE = CrawlId(tenant="t", site="example.com", crawl="")
KEYS = ["00", "01", "10", "f0"]
STATES = ["fetched", "fetched", "unchanged", "not_found", "failed", "skipped", ""]  # "" = not found in this crawl
DATES = ["", "2026-01-01", "2026-01-02"]
ROWS_PER_FILE = 2  # so that a memory has several files


@dataclass(frozen=True)
class Met:
    """A URL in a crawl: its state, its text, its date in the sitemap."""

    key: str
    state: str
    text: str
    lastmod: str
    parent: str


@dataclass(frozen=True)
class Attempt:
    """The crawl is finished, and at some write the process dies, or another one finishes the crawl meanwhile."""

    at: int
    overtaken: bool


@dataclass(frozen=True)
class Ended:
    """A crawl that has fetched its pages, and how often it is finished before nothing disturbs it."""

    met: list[Met]
    is_whole: bool
    attempts: list[Attempt]


crawls = st.lists(
    st.builds(
        Ended,
        met=st.tuples(
            *(
                st.builds(
                    Met,
                    key=st.just(key),
                    state=st.sampled_from(STATES),
                    text=st.sampled_from("xy"),
                    lastmod=st.sampled_from(DATES),
                    parent=st.sampled_from(["", *KEYS]),
                )
                for key in KEYS
            )
        ).map(list),
        is_whole=st.booleans(),
        attempts=st.lists(st.builds(Attempt, at=st.integers(1, 8), overtaken=st.booleans()), max_size=3),
    ),
    min_size=2,
    max_size=4,
)


@dataclass(frozen=True)
class Finisher:
    """Finishes crawls as `application.finish_crawl` does: it remembers all pages, then concludes."""

    root: Path
    crawl: CrawlId
    pages: Path
    urls: Path
    lastmods: list[Lastmod]
    started_at: float
    is_whole: bool

    def finish(self, *, at: int = 0, strike: Callable[[], None] = lambda: None) -> None:
        memories = ParquetPageMemories(
            FailingMemoryFiles(self.root, at, strike), lambda: self.root, rows_per_file=ROWS_PER_FILE
        )
        memories.remember(self.crawl, [self.pages])
        end = crawl_end(self.started_at, root_key=KEYS[0], sees_all=self.is_whole)
        parts = {Table.PAGES: [self.pages], Table.URLS: [self.urls]}
        memories.conclude(self.crawl, parts, end, lastmods=self.lastmods)

    def try_to_finish(self, attempt: Attempt) -> None:
        def strike() -> None:
            if not attempt.overtaken:
                raise Crash
            self.finish()

        with suppress(Crash):
            self.finish(at=attempt.at, strike=strike)


def finisher(root: Path, number: int, ended: Ended) -> Finisher:
    started_at = number * 1e6
    pages = [
        Page(
            key=met.key,
            state=met.state,
            text_hash=met.text,
            batch=f"00000{number}-0000-1",
            fetched_at=started_at + position,
        )
        for position, met in enumerate(ended.met)
        if met.state not in ("", "skipped")
    ]
    return Finisher(
        root=root,
        crawl=replace(SITE, crawl=f"c{number}"),
        pages=write_pages(root / f"pages-{number}.parquet", pages),
        urls=write_urls(
            root / f"urls-{number}.parquet",
            [Url(key=met.key, state=met.state, parent=met.parent) for met in ended.met if met.state],
        ),
        lastmods=[Lastmod(met.key, met.lastmod) for met in ended.met if met.lastmod],
        started_at=started_at,
        is_whole=ended.is_whole,
    )


@settings(max_examples=examples(4), deadline=None)
@given(crawls)
@slow
def test_a_crawl_whose_end_is_repeated_is_remembered_as_if_it_ended_once(story: list[Ended]) -> None:
    assert story
    with TemporaryDirectory() as disturbed, TemporaryDirectory() as calm:
        for number, ended in enumerate(story, 1):
            repeated = finisher(Path(disturbed), number, ended)
            for attempt in ended.attempts:
                repeated.try_to_finish(attempt)
            repeated.finish()
            finisher(Path(calm), number, ended).finish()
            assert memory_rows(Path(disturbed), SITE) == memory_rows(Path(calm), SITE)
