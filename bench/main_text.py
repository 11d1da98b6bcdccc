"""Quality and speed of the main text, beside other libraries: `python -m bench.main_text FOLDER`.

FOLDER has real pages: NAME.html, and in NAME.txt the text that a reader would call its main text. The test pages of
Mozilla's Readability (https://github.com/mozilla/readability/tree/main/test/test-pages) can be converted to this form.
They are not part of this project.

A page's score compares the multisets of four consecutive words. Precision is the part of the extracted sequences that
are expected, recall the part of the expected ones that are extracted, and F1 their harmonic mean.
"""

import argparse
import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.main_text import main_text
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.text_choice import TextChoice

LIBRARIES = ("trafilatura", "readability-lxml")
ROUNDS = 3
GOAL = "Goal: F1 at least 0.94, recall at least 0.96, at most 3 ms per page of 100 KB."
_WORD = re.compile(r"\w+")
_URL = "https://example.com/a/page"
_Sequences = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The text of one page as one program extracts it."""

    name: str
    text: str
    seconds: float  # CPU


def main(arguments: Sequence[str] | None = None) -> None:
    """Extract all pages, and write a section of bench/results.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the pages and their texts")
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-bench" / "bin" / "python")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write to")
    options = parser.parse_args(arguments)
    size = sum(path.stat().st_size for path in options.folder.glob("*.html"))
    expected = {path.stem: sequences(path.read_text(encoding="utf-8")) for path in options.folder.glob("*.txt")}
    programs: dict[str, Callable[[], Iterator[Extracted]]] = {
        "wavecrawl": partial(own, options.folder, _text_only),
        "wavecrawl, with links and all facts": partial(own, options.folder, _everything),
    }
    if options.python.exists():
        for library in LIBRARIES:
            programs[library] = partial(other, options.python, library, options.folder)
    rows = [
        row_of(name, [list(extracting()) for _ in range(ROUNDS)], expected, size)
        for name, extracting in programs.items()
    ]
    text = f"""
## Main text: {len(expected)} real pages of {size / len(expected) / 1000:,.0f} KB on average

{table(["program", "precision", "recall", "F1", "CPU ms/page", "CPU ms/100 KB"], rows)}

{GOAL} The scores are means over the pages, of sequences of four words.
The times are the best of {ROUNDS} rounds in one process, from the bytes of a page to its text.

{setting(("wavecrawl", "selectolax", "msgspec"))}
"""
    print(text)
    write_section("main text", text, file=options.results)


def sequences(text: str) -> _Sequences:
    """Return the sequences of four words, or the only one of a shorter text."""
    words = _WORD.findall(text)
    return Counter(zip(words, words[1:], words[2:], words[3:], strict=False)) or Counter([tuple(words)])


def own(folder: Path, text: Callable[[bytes], str]) -> Iterator[Extracted]:
    """Extract the pages in this process."""
    for path in sorted(folder.glob("*.html")):
        html = path.read_bytes()
        start = time.process_time()
        found = text(html)
        yield Extracted(name=path.stem, text=found, seconds=time.process_time() - start)


def other(python: Path, library: str, folder: Path) -> Iterator[Extracted]:
    """Extract the pages with another library, in its own environment."""
    command = [str(python), "-W", "ignore", str(ROOT / "bench" / "extract_texts.py"), library, str(folder)]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in found.stdout.splitlines():
        yield Extracted(**json.loads(line))


def row_of(name: str, rounds: list[list[Extracted]], expected: dict[str, _Sequences], size: int) -> list[str]:
    """Return the scores and times of one program."""
    scores = [score(sequences(page.text), expected[page.name]) for page in rounds[0]]
    seconds = min(sum(page.seconds for page in pages) for pages in rounds)
    means = [f"{mean(values):.3f}" for values in zip(*scores, strict=True)]
    return [name, *means, f"{seconds / len(scores) * 1000:.2f}", f"{seconds / size * 1e8:.2f}"]


def score(found: _Sequences, expected: _Sequences) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    shared = (found & expected).total()
    precision, recall = shared / found.total(), shared / expected.total()
    return precision, recall, 2 * precision * recall / (precision + recall) if shared else 0.0


def _text_only(html: bytes) -> str:
    return main_text(survey(LexborHTMLParser(html)), TextChoice.MAIN).text


def _everything(html: bytes) -> str:
    return extract(html, url=_URL).facts.text


if __name__ == "__main__":
    main()
