"""The knowledge index: what searches find, and what indexing costs: `python -m bench.knowledge`.

The manuals of Git, Python, Django and PostgreSQL are crawled and indexed. bench/data/questions.json has 30 questions
about each and the pages that answer them, each with a phrase of the page. They were written before the first search.
bench/data/questions-without-spaces.json has 20 questions each about Debian Reference in Japanese and Chinese.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT, BenchSite, served
from msgspec.structs import asdict, replace

from wavecrawl.adapters.crawled_texts import PAGES, crawled_texts
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors
from wavecrawl.application.index_plan import CrawledText
from wavecrawl.application.index_site import index_site
from wavecrawl.application.search_site import search_site
from wavecrawl.bootstrap.knowledge import knowledge_ports
from wavecrawl.bootstrap.knowledge_settings import KnowledgeChoice
from wavecrawl.bootstrap.markdown import markdown_view
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.knowledge import CrawlTexts, KnowledgePorts, Space

QUESTIONS = ROOT / "bench" / "data" / "questions.json"
OTHER_QUESTIONS = ROOT / "bench" / "data" / "questions-without-spaces.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual(BenchSite):
    """A manual of which only a part is crawled."""

    start: str  # the first page
    include: str  # pattern of the pages


_REFERENCE = ("folder", "/usr/share/debian-reference")
OTHER_SITES = tuple(
    Manual(
        name=f"debian-reference-{language}",
        about="",
        serve=_REFERENCE,
        max_pages=100,
        start=f"index.{language}.html",
        include=f"*.{language}.html",
    )
    for language in ("ja", "zh-cn")
)
SITES = (
    BenchSite(name="git-doc", about="", serve=("folder", "/usr/share/doc/git-doc"), max_pages=5_000),
    BenchSite(name="python3.11-doc", about="", serve=("folder", "/usr/share/doc/python3.11/html"), max_pages=5_000),
    BenchSite(
        name="python-django-doc", about="", serve=("folder", "/usr/share/doc/python-django-doc/html"), max_pages=5_000
    ),
    BenchSite(
        name="postgresql-doc-15", about="", serve=("folder", "/usr/share/doc/postgresql-doc-15/html"), max_pages=5_000
    ),
)
FIRST = 5
GOAL, OTHER_GOAL = 0.92, 0.85
CHANGED = 33  # every 33rd page of a recrawl has changed: 3 %
VECTORS = 100_000
ROUNDS = 5


class Indexing(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one run in a process of its own."""

    pages: int
    passages: int
    seconds: float
    cpu: float  # seconds
    rss: float  # MB, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the searches of one mode found."""

    ranks: list[int]  # of the first acceptable page, from 1; 0 = none of the first ten
    milliseconds: list[float]

    @property
    def recall(self) -> float:
        """The share of questions with an acceptable page among the first five."""
        return sum(0 < rank <= FIRST for rank in self.ranks) / len(self.ranks)

    @property
    def mrr(self) -> float:
        """The mean of the reciprocal ranks of the first acceptable page."""
        return sum(1 / rank for rank in self.ranks if rank) / len(self.ranks)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write a section of bench/results.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, help="index the crawl in this data folder, and print the measurements")
    parser.add_argument("--recrawl", action="store_true", help="with --index: as if 3 %% of the pages had changed")
    parser.add_argument("--vectors", type=Path, help="search many vectors in this folder, and print the measurements")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write to")
    options = parser.parse_args(arguments)
    if options.index:
        print(json.dumps(asdict(_index(options.index, recrawl=options.recrawl))))
    elif options.vectors:
        print(json.dumps(_search_many(options.vectors)))
    else:
        with TemporaryDirectory() as folder:
            text = _measured(Path(folder))
        print(text)
        write_section("knowledge", text, file=options.results)


def _measured(folder: Path) -> str:
    answers: dict[SearchMode, list[Answers]] = {mode: [] for mode in SearchMode}
    runs: list[tuple[str, Indexing, Indexing]] = []
    for site in SITES:
        data = folder / site.name
        _crawl_manual(site, data)
        first = Indexing(**_child("--index", str(data)))
        for mode in SearchMode:
            answers[mode].append(_answered(data, site.name, mode))
        runs.append((site.name, first, Indexing(**_child("--index", str(data), "--recrawl"))))
    others: dict[SearchMode, list[Answers]] = {mode: [] for mode in SearchMode}
    for manual in OTHER_SITES:
        data = folder / manual.name
        _crawl_manual(manual, data)
        _child("--index", str(data))
        for mode in SearchMode:
            others[mode].append(_answered(data, manual.name, mode))
    many = _child("--vectors", str(folder / "many"))
    found = [_found_row(mode, answers[mode]) for mode in SearchMode]
    costs = [row for name, first, again in runs for row in _cost_rows(name, first, again)]
    heads, other_heads = (
        ["search", *(f"{site.name}: recall@{FIRST}" for site in sites), f"all: recall@{FIRST}", "MRR", "ms/search"]
        for sites in (SITES, OTHER_SITES)
    )
    other_found = [_found_row(mode, others[mode]) for mode in SearchMode]
    hybrid = _all(answers[SearchMode.HYBRID]).recall
    other_hybrid = min(one.recall for one in others[SearchMode.HYBRID])
    return f"""
## Knowledge index: {sum(len(one.ranks) for one in answers[SearchMode.HYBRID])} questions about {len(SITES)} manuals

{table(heads, found)}

Recall@{FIRST}: the share of questions with an acceptable page among the first {FIRST} results. MRR: mean of the
reciprocal ranks of the first acceptable page, among the first ten. The goal is a hybrid recall of {GOAL}; it is
{"reached" if hybrid >= GOAL else "missed"}. With so few questions, its standard error is 0.04. The sizes of passages,
the weights and the constant of the rank fusion were chosen with the questions about Git and Python
([ADR 28](../docs/adr/0028-knowledge-index.md)). Those about Django and PostgreSQL were written later and chose nothing.

{table(other_heads, other_found)}

{len(others[SearchMode.HYBRID][0].ranks)} questions in each language. These manuals have 15 pages each, so a page is
found more easily. The goal is a hybrid recall of {OTHER_GOAL} for each; it is
{"reached" if other_hybrid >= OTHER_GOAL else "missed"}. The weight of the meaning in these languages was chosen with
questions about another manual.

{table(["indexing", "pages", "passages embedded", "seconds", "CPU seconds", "pages/s", "passages/s", "peak MB"], costs)}

With the offline embedder, from the stored pages of a crawl to vectors and words, in a new process. The child processes,
which make the Markdown, are not in the CPU seconds and the peak. "3 % changed": a later crawl in which every
{CHANGED}rd page has a new text.

A search among {VECTORS:,} vectors of 256 dimensions in a file takes {many["first"]:.1f} s at first, when they are read,
and then {many["next"]:.0f} ms; the process needs {many["rss"]:.0f} MB. To store 10,000 of them takes
{many["stored"]:.1f} s.

{setting(("wavecrawl", "wordllama", "numpy"))}
"""


def _crawl_manual(site: BenchSite, data: Path) -> None:
    start, include = (site.start, site.include) if isinstance(site, Manual) else ("", "")
    with served(site) as url:
        command = ["crawl", f"{url}{start}", "--data", str(data), "--quiet", "--no-index", "--wacz-mb", "0"]
        command += ["--interval", "0", "--max-pages", "5000", *(["--include", include] if include else [])]
        subprocess.run([sys.executable, "-m", "wavecrawl.cli.main", *command], check=True)


def _found_row(mode: SearchMode, answers: Sequence[Answers]) -> list[str]:
    together = _all(answers)
    times = sorted(together.milliseconds)
    shares = [f"{one.recall:.2f}" for one in (*answers, together)]
    return [mode.value, *shares, f"{together.mrr:.2f}", f"{times[len(times) // 2]:.0f}"]


def _all(answers: Sequence[Answers]) -> Answers:
    return Answers(
        ranks=[rank for one in answers for rank in one.ranks],
        milliseconds=[time_ for one in answers for time_ in one.milliseconds],
    )


def _cost_rows(name: str, first: Indexing, again: Indexing) -> Iterator[list[str]]:
    for what, run in ((f"{name}, first", first), (f"{name}, 3 % changed", again)):
        rates = [f"{run.pages / run.seconds:,.0f}", f"{run.passages / run.seconds:,.0f}"]
        times = [f"{run.seconds:.1f}", f"{run.cpu:.1f}"]
        yield [what, f"{run.pages:,}", f"{run.passages:,}", *times, *rates, f"{run.rss:.0f}"]


def _child(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.knowledge", *arguments]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _ports(data: Path) -> KnowledgePorts:
    return knowledge_ports(data, KnowledgeChoice())


def _crawl(data: Path) -> tuple[SiteId, CrawlId, Path]:
    """Return the site of the newest crawl in a data folder, the id of the crawl, and the file with its texts."""
    with closing(LocalStore(data)) as store:
        row = store.find(None)
        return SiteId(tenant=row.id.tenant, site=row.id.site), row.id, store.results_folder(row.id) / PAGES


def _index(data: Path, *, recrawl: bool) -> Indexing:
    """Index a crawl in this process, which should be a fresh one."""
    site, crawl, path = _crawl(data)
    pages = crawled_texts(path, crawl=crawl)
    started = time.perf_counter()
    with closing(LocalStore(data)) as store, markdown_view(store, store.find(None)) as view:
        counts = index_site(
            site,
            _changed(pages) if recrawl else pages,
            _ports(data),
            KnowledgeSettings(),
            texts=CrawlTexts(crawl=crawl.crawl),
            view=view,
        )
    return Indexing(
        pages=counts.indexed + counts.unchanged,
        passages=counts.passages,
        seconds=time.perf_counter() - started,
        cpu=time.process_time(),
        rss=_peak(),
    )


def _changed(pages: Iterator[CrawledText]) -> Iterator[CrawledText]:
    texts = 0
    for page in pages:
        texts += page.fate is Fate.TEXT
        if page.fate is Fate.TEXT and texts % CHANGED == 0:
            yield replace(page, text=replace(page.text, text=page.text.text + "\n\nA new paragraph."))
        else:
            yield page


def _answered(data: Path, name: str, mode: SearchMode) -> Answers:
    """Ask the questions about a site."""
    site, _, _ = _crawl(data)
    ports = _ports(data)
    asked = [one for path in (QUESTIONS, OTHER_QUESTIONS) for one in json.loads(path.read_text("utf-8"))["questions"]]
    questions = [one for one in asked if one["site"] == name]
    search_site(site, "first", ports, mode=mode)  # loads the model and the vectors
    ranks: list[int] = []
    times: list[float] = []
    for one in questions:
        started = time.perf_counter()
        found = search_site(site, one["question"], ports, mode=mode)
        times.append((time.perf_counter() - started) * 1_000)
        paths = [urlsplit(result.passage.url).path.lstrip("/") or "index.html" for result in found]
        ranks.append(next((rank for rank, path in enumerate(paths, 1) if path in one["answers"]), 0))
    return Answers(ranks=ranks, milliseconds=times)


def _search_many(folder: Path) -> dict[str, float]:
    """Search many vectors in this process, which should be a fresh one."""
    space = Space(site=SiteId(tenant="t", site="s"), embedder="random", dimensions=256)
    rows = np.random.default_rng(28).standard_normal((VECTORS, space.dimensions)).astype(np.float32)
    writer, stored = SqliteVectors(lambda site: knowledge_folder(folder, site)), 0.0
    for start in range(0, VECTORS, 10_000):
        started = time.perf_counter()
        writer.put(space, {f"{number:036d}": rows[number] for number in range(start, start + 10_000)})
        stored = time.perf_counter() - started
    question = rows[0] / np.linalg.norm(rows[0])
    del rows
    reader = SqliteVectors(lambda site: knowledge_folder(folder, site))
    times: list[float] = []
    for _ in range(1 + ROUNDS):
        started = time.perf_counter()
        reader.nearest(space, question, limit=100)
        times.append(time.perf_counter() - started)
    return {"first": times[0], "next": sorted(times[1:])[ROUNDS // 2] * 1_000, "rss": _peak(), "stored": stored}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
