"""Runs of mutated inputs: an input that raises, hangs or crashes is reported, and the others are still read."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from subprocess import run as run_program
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.fuzz import readers
from tests.fuzz.__main__ import main
from tests.fuzz.mutations import Corpus
from tests.fuzz.readers import READERS, Reader
from tests.fuzz.runs import MOST_FAILURES, Figures, Run, read_inputs

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import SettingsBounds
from wavecrawl.domain.fetching.link_header import HeaderLink, header_links
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.rules import Extractor
from wavecrawl.domain.pages.extraction.srcset import best_candidate
from wavecrawl.domain.pages.page import Extraction, PageFacts
from wavecrawl.domain.politeness.robots import parse_robots
from wavecrawl.domain.sitemaps.parser import SitemapContent, parse_sitemap
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.query_encoding import in_encoding
from wavecrawl.errors import InvalidSettingsError

INPUTS = 40
BAD = 13
"""The number of the input that a reader of these tests cannot read."""

CORPUS = Corpus([b"one", b"two", b"<a href='3'>"], [b"x", b"y"])


def reader_that(fails: Callable[[], object], *, at: int = BAD) -> Reader:
    """Return a reader that does something at one of its inputs."""
    bad = CORPUS.input("planted", 0, at)

    def check(data: bytes) -> bool:
        if data == bad:
            fails()
        return True

    return Reader(name="planted", corpus=CORPUS, check=check)


def fail() -> None:
    message = "planted"
    raise ValueError(message)


def hang() -> None:
    while True:
        pass


def crash() -> None:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # without the traceback that pytest prints
    signal.raise_signal(signal.SIGSEGV)


def run_of(reader: Reader, folder: Path, *, inputs: int = INPUTS) -> Run:
    return Run(reader=reader, inputs=inputs, processes=2, cpu_seconds=0.2, folder=folder)


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        pytest.param(fail, "ValueError: planted", id="raises"),
        pytest.param(hang, "took more than 0.2 seconds of processor time", id="hangs"),
        pytest.param(crash, "ended the process: SIGSEGV", id="crashes"),
        pytest.param(lambda: os._exit(3), "ended the process: exit code 3", id="exits"),
    ],
)
def test_an_input_that_fails_is_written_and_the_others_are_read(
    fails: Callable[[], object], why: str, tmp_path: Path
) -> None:
    run = run_of(reader_that(fails), tmp_path)
    seen: list[Figures] = []
    figures = read_inputs(run, seen.append)
    (path,) = figures.failures
    assert path.read_bytes() == CORPUS.input("planted", 0, BAD)
    assert (tmp_path / f"{path.name}.txt").read_text().strip().splitlines()[-1] == why
    assert (figures.inputs, figures.found) == (INPUTS, INPUTS - 1)
    assert seen[-1].inputs == INPUTS


@pytest.mark.parametrize("fails", [fail, crash])
def test_a_run_in_which_everything_fails_ends_early(fails: Callable[[], object], tmp_path: Path) -> None:
    def check(_: bytes) -> bool:
        fails()
        return True

    figures = read_inputs(run_of(Reader(name="planted", corpus=CORPUS, check=check), tmp_path, inputs=10_000))
    assert MOST_FAILURES <= figures.inputs < 10_000
    assert len(figures.failures) == figures.inputs


def test_after_ctrl_c_a_run_reports_what_it_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(figures: Figures) -> None:
        if figures.inputs:
            raise KeyboardInterrupt

    run = Run(reader=READERS[0], inputs=10**9, processes=2, folder=tmp_path)
    figures = read_inputs(run, interrupt, every=0.01)
    assert 0 < figures.inputs < run.inputs
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.fuzz.__main__.read_inputs", lambda *_, **__: figures)
    assert main(["link", "srcset"]) == 130
    assert f"link: {figures.inputs:,} inputs" in capsys.readouterr().out


PRINT_INPUTS = """
from tests.fuzz.readers import READERS
print([[reader.input(7, number).hex() for number in range(30)] for reader in READERS])
"""


def test_seed_and_number_alone_decide_an_input() -> None:
    """Another process, which hashes in another way, makes the same inputs in another order."""
    printed = run_program(
        [sys.executable, "-c", PRINT_INPUTS],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[2],
    ).stdout
    backwards = [[reader.input(7, number).hex() for number in reversed(range(30))] for reader in READERS]
    assert json.loads(printed.decode().replace("'", '"')) == [inputs[::-1] for inputs in backwards]
    assert all(reader.input(7, 0) != reader.input(8, 0) for reader in READERS)


def test_the_command_reads_inputs_and_repeats_one_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--inputs", "20", "--processes", "1", "link", "srcset"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["link", "srcset"]
    with pytest.raises(SystemExit):
        main(["nothing"])
    monkeypatch.setattr("tests.fuzz.__main__.READERS", (reader_that(fail),))
    assert main(["--inputs", "20", "--processes", "1"]) == 1
    out = capsys.readouterr().out
    assert "build/fuzz/planted-0-13: ValueError: planted" in out
    assert "again: python -m tests.fuzz planted --seed 0 --input 13" in out
    assert (tmp_path / "build" / "fuzz" / "planted-0-13").is_file()
    with pytest.raises(ValueError, match="planted"):
        main(["planted", "--input", "13"])


def stops_at_empty_members(value: str) -> Iterator[HeaderLink]:
    return iter(()) if value.startswith(",") else header_links(value)


def refuses_without_a_reason(_: object, *, bounds: SettingsBounds) -> CrawlSettings:
    assert bounds
    raise InvalidSettingsError(("",))


def has_no_limits(body: bytes, *, url: str, limits: SitemapSettings) -> SitemapContent:
    return parse_sitemap(body, url=url, limits=replace(limits, max_urls=50))


class Changing:
    """Extraction that forgets its links each second time."""

    def __init__(self) -> None:
        self._calls = count()

    def __call__(self, html: str | bytes, **options: Any) -> Extraction:
        found = extract(html, **options)
        return found if next(self._calls) % 2 else structs.replace(found, links=(), facts=PageFacts())


def check_inputs(reader: Reader, inputs: int) -> None:
    for number in range(inputs):
        reader.check(reader.input(0, number))


@pytest.mark.parametrize(
    ("reader", "name", "broken"),
    [
        ("link", "header_links", stops_at_empty_members),
        ("srcset", "best_candidate", lambda srcset, *, width: f"{best_candidate(srcset, width=width)},"),
        ("queries", "in_encoding", lambda query, encoding: f"{in_encoding(query, encoding)}\u65e5"),
        ("settings", "crawl_settings", refuses_without_a_reason),
        ("robots", "parse_robots", lambda body: parse_robots(body.partition(b"Unknown")[0])),
        ("sitemaps", "parse_sitemap", has_no_limits),
        ("json-ld", "extract", Changing()),
        ("rules", "Extractor", lambda settings: Extractor(replace(settings, max_values=50))),
        ("extract", "extract", Changing()),
    ],
)
def test_a_broken_reader_is_found(
    reader: str, name: str, broken: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, name, broken)
    (tried,) = (one for one in READERS if one.name == reader)
    with pytest.raises(AssertionError):
        check_inputs(tried, 250)
