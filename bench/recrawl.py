"""What recrawls cost and find: `python -m bench.recrawl`.

First a simulation: pages with known change rates are requested for 90 days, in fixed or adaptive intervals. Then a
crawl of a served site of which some pages have changed.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

from bench.report import RESULTS, setting, table, write_section
from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, Done, crawl_inline
from tests.support.plain_site import plain_site

from wavecrawl.demo.model import Site
from wavecrawl.demo.reply import Reply
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.recrawl.history import OBSERVATIONS, ChangeRates, Observation, PageHistory
from wavecrawl.domain.recrawl.settings import RecrawlSettings

DAY = 86_400.0
DAYS = 90
WARM_UP = 30  # days, for histories
PAGES = 600
KINDS = (("news", 0.10, 1.0), ("blog", 0.20, 10.0), ("docs", 0.40, 60.0), ("about", 0.30, 365.0))
"""Sections of the simulated site: name, share of the pages, mean days between changes."""

SERVED = 1_000  # pages
CHANGED = 0.03  # share of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How fresh the copies of a site are."""

    name: str
    requests: int  # in 90 days
    stale: float  # mean share of pages whose copy is out of date
    age: float  # mean days since the first change that the copy lacks; 0 if it lacks none


class _Copies:
    """The pages of the simulated site, and the copies of a crawler that requests some of them each day."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.urls: list[str] = []
        self._changes: list[list[float]] = []  # times of each page
        for name, share, mean in KINDS:
            for number in range(round(PAGES * share)):
                days = mean * random.lognormvariate(0, 0.7)
                at, times = 0.0, []
                while (at := at + random.expovariate(1 / days)) < WARM_UP + DAYS:
                    times.append(at)
                self.urls.append(f"https://example.com/{name}/{number}")
                self._changes.append(times)
        self.pages = [
            PageHistory(
                key=str(number), url=url, depth=1, last_seen=0.0, observations=(Observation(0.0, False, False),)
            )
            for number, url in enumerate(self.urls)
        ]
        self.requests = 0
        self._stale = self._age = 0.0

    def request(self, number: int, day: float) -> None:
        """Request a page; add how old its copy was since the last request."""
        self.requests += day > WARM_UP
        page = self.pages[number]
        changed = self._account(number, day)
        seen = (*page.observations, Observation(day * DAY, changed, False))[-OBSERVATIONS:]
        self.pages[number] = PageHistory(
            key=page.key, url=page.url, depth=1, last_seen=day * DAY, observations=seen, lastmod="", failures=0
        )

    def result(self, name: str) -> Policy:
        for number in range(len(self.pages)):
            self._account(number, WARM_UP + DAYS)
        whole = DAYS * len(self.pages)
        return Policy(name=name, requests=self.requests, stale=self._stale / whole, age=self._age / whole)

    def _account(self, number: int, day: float) -> bool:
        """Count the time from the first change since the last request, as far as it is after the warm-up."""
        last = self.pages[number].last_seen / DAY
        first = next((at for at in self._changes[number] if last < at <= day), None)
        if first is None:
            return False
        begin = max(first, WARM_UP)
        if day > begin:
            self._stale += day - begin
            self._age += ((day - first) ** 2 - (begin - first) ** 2) / 2
        return True


def fixed(name: str, days: int, seed: int) -> Policy:
    """Request each page every few days, an equal part of the pages each day."""
    copies = _Copies(seed)
    for day in range(1, WARM_UP + DAYS + 1):
        for number in range(len(copies.pages)):
            if (day + number) % days == 0:
                copies.request(number, day)
    return copies.result(name)


def adaptive(name: str, interval: float, seed: int) -> Policy:
    """Request each day the pages that are due, with this setting of `recrawl.interval`, in days."""
    copies = _Copies(seed)
    settings = RecrawlSettings(interval=interval * DAY, min_interval=DAY, max_interval=DAYS * DAY)
    for day in range(1, WARM_UP + DAYS + 1):
        rates = ChangeRates(settings=settings)
        rates.add(copies.pages)
        for number, page in enumerate(copies.pages):
            if page.last_seen + settings.min_interval <= day * DAY and rates.next_due(page) <= day * DAY:
                copies.request(number, day)
    return copies.result(name)


def adaptive_with(requests: int, name: str, seed: int) -> Policy:
    """Return the adaptive policy with about that number of requests: at most that many, at least 98 %."""
    low, high = 0.2, 200.0
    best: Policy | None = None
    for _ in range(14):
        middle = (low * high) ** 0.5
        found = adaptive(name, middle, seed)
        if found.requests > requests:
            low = middle
        else:
            high, best = middle, found
            if found.requests >= 0.98 * requests:
                break
    if best is None:
        raise RuntimeError("no interval leads to so few requests")
    return best


def simulate() -> list[Policy]:
    """Compare policies with the same number of requests."""
    found: list[Policy] = []
    for name, days in (("weekly", 7), ("monthly", 30)):
        plain = fixed(f"every {days} days", days, seed=1)
        found += [plain, adaptive_with(plain.requests, f"adaptive, as many requests as {name}", seed=1)]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Two crawls of a site, of which some pages had changed before the second."""

    name: str
    pages: int
    changed: int
    found: int  # changed pages that the second crawl read
    sent: tuple[int, int]  # bytes sent by the server
    records: tuple[float, float]  # mean bytes: of all pages of the first crawl, of the unchanged pages of the second
    exchanges: tuple[float, float]  # bytes of WARC per page


class _Counting(SiteServer):
    """A server that counts the bytes of its responses."""

    sent = 0

    def _finder(self) -> Callable[[str], Reply | None]:
        find = super()._finder()
        server = self

        class Counted:
            """A response whose bytes are counted when they are sent."""

            def __init__(self, reply: Reply) -> None:
                self._reply = reply

            def __getattr__(self, name: str) -> Any:
                return getattr(self._reply, name)

            def answer(self, method: str, fields: bytes) -> tuple[int, bytes]:
                status, data = self._reply.answer(method, fields)
                server.sent += len(data)
                return status, data

        def counted(path: str) -> Reply | None:
            reply = find(path)
            return None if reply is None else cast("Reply", Counted(reply))

        return counted


def recrawl(name: str, *, validators: bool, count: int = SERVED) -> Served:
    """Crawl a site of `count` pages twice."""
    site = plain_site(count)
    pages = [replace(page, etag=f'"{number}"') if validators else page for number, page in enumerate(site.pages)]
    chosen = set(Random(2).sample(range(len(pages)), round(CHANGED * len(pages))))
    other = [
        replace(page, text=(*page.text, "A new paragraph."), etag=page.etag and '"new"') if number in chosen else page
        for number, page in enumerate(pages)
    ]
    with TemporaryDirectory() as folder:
        first, sent, port = _crawl(replace(site, pages=tuple(pages)), Path(folder), 0)
        second, sent_again, _ = _crawl(replace(site, pages=tuple(other)), Path(folder), port)
        states = {page["url"].partition("/level")[2]: page["state"] for page in second.pages()}
        paths = [pages[number].path.partition("/level")[2] for number in chosen]
        return Served(
            name=name,
            pages=second.summary.pages,
            changed=len(chosen),
            found=sum(states[path] == "fetched" for path in paths),
            sent=(sent, sent_again),
            records=(_record_bytes(first), _record_bytes(second, unchanged=True)),
            exchanges=(_warc_bytes(first) / count, _warc_bytes(second) / count),
        )


def _crawl(site: Site, folder: Path, port: int) -> tuple[Done, int, int]:
    with _Counting(site, port=port) as server:
        done = crawl_inline(server.url, folder, replace(ALL_FILES, max_pages=10 * SERVED))
        return done, server.sent, server.port


def _record_bytes(done: Done, *, unchanged: bool = False) -> float:
    """Return the mean size of a record; of a file with other records too, an unchanged one has its part of the file.

    The part is that of its bytes before the compression.
    """
    total, count = 0.0, 0
    for path in (done.folder / "records").iterdir():
        with gzip.open(path) as file:
            lines = file.readlines()
        wanted = [line for line in lines if not unchanged or json.loads(line)["state"] == "unchanged"]
        total += path.stat().st_size * sum(map(len, wanted)) / sum(map(len, lines))
        count += len(wanted)
    return total / count


def _warc_bytes(done: Done) -> int:
    return sum(path.stat().st_size for path in (done.folder / "warc").iterdir())


def text_of(policies: list[Policy], served: list[Served]) -> str:
    """Return the section of the results."""
    simulated = table(
        ("pages are requested", "requests", "copies out of date", "mean age, days"),
        [(one.name, f"{one.requests:,}", f"{one.stale:.1%}", f"{one.age:.2f}") for one in policies],
    )
    kinds = ", ".join(f"{share:.0%} {name} (every {mean:g} days)" for name, share, mean in KINDS)
    crawled = table(
        ("site", "pages", "changed", "found", "bytes received", "of the first crawl",
         "bytes of an unchanged page's record", "of a new page's", "WARC bytes a page", "in the first crawl"),
        [
            (one.name, f"{one.pages:,}", f"{one.changed}", f"{one.found}", f"{one.sent[1]:,}",
             f"{one.sent[1] / one.sent[0]:.1%}", f"{one.records[1]:.0f}", f"{one.records[0]:,.0f}",
             f"{one.exchanges[1]:,.0f}", f"{one.exchanges[0]:,.0f}")
            for one in served
        ],
    )  # fmt: skip
    return f"""
## Recrawls

A simulated site of {PAGES} pages is watched for {DAYS} days, after {WARM_UP} days in which histories begin:
{kinds}. These are means; each page has its own rate. Change rates are
learned from the requests alone. The setting `recrawl.interval` is chosen so that there are as many requests as with the
fixed intervals, or up to 2 % fewer. A copy is out of date from the first change that it lacks; its age is the time
since then.

{simulated}

A served site of {SERVED:,} generated pages is crawled twice; {CHANGED:.0%} of the pages have a new paragraph in the
second crawl. Bytes received are those that the server sent, with heads. Records are compressed.

{crawled}

{setting(["wavecrawl", "duckdb"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.recrawl", description="Measure recrawls")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    served = [recrawl("with ETag", validators=True), recrawl("without validators", validators=False)]
    text = text_of(simulate(), served)
    print(text)
    write_section("recrawl", text, file=options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
