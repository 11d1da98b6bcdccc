"""A generated crawl: the records of its pages and the changes of its URLs, for benchmarks of folding and results."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

import msgspec
from isal import igzip

from wavecrawl.domain.crawl.ledger import FoundBy, Phase, UrlChange
from wavecrawl.domain.crawl.record import Link, PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region

ROOT_URL = "https://example.com/"
PART_PAGES = 2_500
LINKS = 20  # per page
_NEW = 10  # of them to new pages
_BATCH = 100  # pages
_STARTED = 1.7e9  # Unix seconds
_FIRST_OF_DEPTH = list(accumulate((_NEW**depth for depth in range(12)), initial=0))
_SYLLABLES = ("ba", "con", "de", "ing", "is", "ment", "o", "per", "ra", "sta", "ter", "tion", "un", "ver", "y", "zu")
_VOCABULARY = 20_000
_DRAWS = 2**16  # a word is drawn by 16 random bits


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedPart:
    """The input of one part. Its pages have the numbers from `first` to before `end`, in breadth-first order."""

    number: int
    records: list[Path]  # one file per batch
    changes: list[UrlChange]


def generated_parts(pages: int, folder: Path, *, words: int) -> Iterator[GeneratedPart]:
    """Yield the parts of a crawl of `pages` pages with `words` words each; their records are in `folder`.

    Half of a page's links lead to new pages until there are no more, the others to pages that were found before. The
    files of a part are removed when the next one is generated.
    """
    folder.mkdir(parents=True)
    drawn = _drawn_words()
    for number, first in enumerate(range(0, pages, PART_PAGES), 1):
        end, records = min(pages, first + PART_PAGES), []
        for batch, start in enumerate(range(first, end, _BATCH)):
            records.append(folder / f"{number:06d}-{batch:06d}-1.jsonl.gz")
            random = Random(start)  # the same records in each run
            with igzip.open(records[-1], "wb", compresslevel=0) as file:  # type: ignore[no-untyped-call]
                for page in range(start, min(end, start + _BATCH)):
                    record = _record(page, pages, _text(random, drawn, words), words, random)
                    file.write(msgspec.json.encode(record) + b"\n")
        yield GeneratedPart(number=number, records=records, changes=list(_changes(number, first, end, pages)))
        for path in records:
            path.unlink()


def key_of(url: str) -> str:
    """Return the key of a page."""
    return hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()


def _record(page: int, pages: int, text: str, words: int, random: Random) -> PageRecord:
    url = _url(page)
    new = range(page * _NEW + 1, min(pages, page * _NEW + _NEW + 1))
    draws = memoryview(random.randbytes(4 * (LINKS - len(new)))).cast("I")
    known = min(pages, page * _NEW + _NEW + 1)
    return PageRecord(
        key=key_of(url),
        url=url,
        depth=_depth(page),
        state=UrlState.FETCHED,
        status=200,
        content_type="text/html",
        charset="utf-8",
        is_html=True,
        etag=f'"{page}"',
        bytes=20_000 + page % 5_000,
        decoded_bytes=20_000 + page % 5_000,
        response_time=0.05,
        elapsed=0.06 + page % 10 / 100,
        fetched_at=_STARTED + page / 100,
        facts=PageFacts(
            title=f"Title of page {page} | Example",
            description=f"What page {page} is about",
            language="en",
            headings=((1, f"Heading {page}"), (2, "About")),
            word_count=words,
            text=text,
            text_hash=hashlib.sha256(text.encode()).hexdigest(),
            simhash=random.getrandbits(64),
        ),
        links=tuple(map(_link, dict.fromkeys((*new, *(draw % known for draw in draws))))),
    )


def _link(target: int) -> Link:
    url = _url(target)
    return Link(url=url, key=key_of(url), kind=LinkKind.ANCHOR, region=Region.MAIN, text=f"Link to page {target}")


def _changes(number: int, first: int, end: int, pages: int) -> Iterator[UrlChange]:
    """Yield the pages of a part, and those that it found and that are still to be fetched."""
    found = range(max(end, first * _NEW + 1), min(pages, end * _NEW + 1))
    for page in (*range(first, end), *found):
        url, is_fetched = _url(page), page < end
        yield UrlChange(
            id=page,
            url=url,
            key=key_of(url),
            state=UrlState.FETCHED if is_fetched else UrlState.PENDING,
            reason=Reason.NONE,
            detail="",
            depth=_depth(page),
            parent=(page - 1) // _NEW if page else None,
            found_by=FoundBy.LINK if page else FoundBy.ROOT,
            phase=Phase.BFS,
            found_in=number,
            found_at=_STARTED + number if page == 0 or page > first * _NEW else None,
            tries=int(is_fetched),
            batch_wave=number if is_fetched else 0,
            batch=(page - first) // _BATCH if is_fetched else 0,
        )


def _url(page: int) -> str:
    return f"{ROOT_URL}section-{page // 1000}/page-{page}.html" if page else ROOT_URL


def _depth(page: int) -> int:
    return bisect_right(_FIRST_OF_DEPTH, page) - 1


def _drawn_words() -> list[str]:
    """Return a word for each draw; frequent and rare words have shares as in natural texts."""
    random = Random(0)  # the same words in each run
    vocabulary = ["".join(random.choices(_SYLLABLES, k=random.choice((1, 2, 2, 3, 4)))) for _ in range(_VOCABULARY)]
    return random.choices(vocabulary, weights=[1 / rank**0.9 for rank in range(1, _VOCABULARY + 1)], k=_DRAWS)


def _text(random: Random, drawn: list[str], words: int) -> str:
    return " ".join(map(drawn.__getitem__, memoryview(random.randbytes(2 * words)).cast("H")))
