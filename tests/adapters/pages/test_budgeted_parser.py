"""The limits of the process that reads pages whose cost their size does not bound."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import structs

from wavecrawl.adapters.pages import parser as adapter
from wavecrawl.adapters.pages.parser import BudgetedParser
from wavecrawl.domain.pages.extraction.reading import BOUNDED_BYTES, Reading, read_page
from wavecrawl.domain.pages.extraction_rules import ExtractSettings
from wavecrawl.errors import PermanentError, ReadingStoppedError, TooExpensiveError

HOW = Reading(url="https://site.example/", cpu_seconds=1.0)
LARGE = b"<main><p>A large page. <!--" + b"x" * BOUNDED_BYTES + b"-->"
ENDLESS = structs.replace(HOW, rules=ExtractSettings(rules=("all = count(/a(?:.*b)?/)",)))
"""A rule whose matches each search the whole rest of the page."""
FAR = "a" * 400_000


@pytest.fixture
def parser() -> Iterator[BudgetedParser]:
    made = BudgetedParser()
    yield made
    made.close()


def child_of(parser: BudgetedParser) -> int:
    """Return the process id of the child process, 0 if there is none."""
    return parser._child._process.pid if parser._child else 0


def test_a_page_is_read_in_the_process_itself_if_its_size_bounds_the_work(parser: BudgetedParser) -> None:
    parser.read(b"<p>" + b"x" * (BOUNDED_BYTES - 3), HOW)
    parser.read("<p>x", structs.replace(HOW, rules=ExtractSettings(rules=("a = p a b", 'b = has("x")'))))
    assert child_of(parser) == 0
    parser.read(b"<p>" + b"x" * (BOUNDED_BYTES - 2), HOW)
    assert child_of(parser) > 0


def test_work_inside_a_library_ends_with_the_budget_and_the_next_page_is_read(parser: BudgetedParser) -> None:
    parser.read(LARGE, HOW)
    before = child_of(parser)
    with pytest.raises(TooExpensiveError, match=r"^reading it takes more than 1 s of processor time$"):
        parser.read(FAR, ENDLESS)
    assert parser.read(LARGE, HOW) == read_page(LARGE, HOW)
    assert child_of(parser) not in (0, before)


def test_the_processor_time_of_pages_counts_for_the_thread_that_read_them(parser: BudgetedParser) -> None:
    assert parser.cpu_seconds() == 0.0
    parser.read(b"<p>small", HOW)
    assert parser.cpu_seconds() == 0.0
    parser.read(LARGE, HOW)
    large = parser.cpu_seconds()
    assert 0.0 < large < HOW.cpu_seconds
    with pytest.raises(TooExpensiveError):
        parser.read(FAR, ENDLESS)
    assert parser.cpu_seconds() == large + ENDLESS.cpu_seconds
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(parser.cpu_seconds).result() == 0.0


def test_waiting_takes_nothing_from_the_budget(parser: BudgetedParser) -> None:
    parser.read(LARGE, HOW)
    os.kill(child_of(parser), signal.SIGSTOP)
    looks = iter([False, False])

    def go_on() -> bool:
        if next(looks, True):
            os.kill(child_of(parser), signal.SIGCONT)
        return False

    small = structs.replace(HOW, rules=ExtractSettings(rules=("all = /x+/",)))
    assert parser.read(b"<p>xx", small, is_stopped=go_on).facts.extracted == (("all", "xx"),)


def test_work_ends_with_its_crawl(parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_LOOK_EVERY", 0.01)
    looks = iter([False])
    with pytest.raises(ReadingStoppedError):
        parser.read(FAR, structs.replace(ENDLESS, cpu_seconds=600.0), is_stopped=lambda: next(looks, True))
    assert child_of(parser) == 0
    assert parser.read(LARGE, HOW).facts.text == "A large page."


def test_work_ends_with_its_crawl_if_the_process_does_not_take_its_page(
    parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "_LOOK_EVERY", 0.01)
    parser.read(LARGE, HOW)
    os.kill(child_of(parser), signal.SIGSTOP)
    looks = iter([False])
    with pytest.raises(ReadingStoppedError):
        parser.read(LARGE, HOW, is_stopped=lambda: next(looks, True))
    assert parser.read(LARGE, HOW).facts.text == "A large page."


def test_a_page_that_needs_too_much_memory_ends_only_its_own_reading(parser: BudgetedParser) -> None:
    parser.limit_memory(0)
    assert parser.read(LARGE, HOW).facts.text == "A large page."
    with pytest.raises(TooExpensiveError, match=r"^reading it takes more than 128 MiB of memory$"):
        parser.read(b"<p>" + b"x y " * 5_000_000, structs.replace(HOW, cpu_seconds=60.0))
    assert parser.read(LARGE, HOW).facts.text == "A large page."


def test_a_lost_process_is_replaced_and_asked_again(parser: BudgetedParser) -> None:
    parser.read(LARGE, HOW)
    os.kill(child_of(parser), signal.SIGKILL)
    assert parser.read(LARGE, HOW).facts.text == "A large page."


def test_a_page_that_ends_each_process_is_too_expensive(
    parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "_MODULE", "tests.adapters.pages.child_that_crashes")
    with pytest.raises(TooExpensiveError, match=r"^the process that read it ended with exit status -11$"):
        parser.read(LARGE, HOW)


def test_an_error_of_the_reader_is_raised(parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_MODULE", "tests.adapters.pages.child_that_fails")
    with pytest.raises(PermanentError, match="ZeroDivisionError"):
        parser.read(LARGE, HOW)


def test_a_process_is_replaced_after_some_pages(parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_MOST_PAGES", 2)
    processes = []
    for _ in range(3):
        parser.read(LARGE, HOW)
        processes.append(child_of(parser))
    assert processes[0] == processes[1] != processes[2]


def test_the_environment_of_the_process_has_no_credentials(
    parser: BudgetedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    parser.read(LARGE, HOW)
    assert b"AWS_" not in Path(f"/proc/{child_of(parser)}/environ").read_bytes()
