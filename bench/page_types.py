"""Quality of the main text by type of page: `python -m bench.page_types FOLDER`.

FOLDER has pages of the Web Content Extraction Benchmark (WCXB, 2026, CC BY 4.0), which are not part of this project:
html/ID.html, and expected/ID.json with `url`, `type` and `main_content`.

A page's score compares the multisets of words, in lower case. F1 is the harmonic mean of precision, the part of the
extracted words that are expected, and recall, the part of the expected words that are extracted.
"""

import argparse
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.report import RESULTS, setting, table, write_section

from wavecrawl.domain.pages.extraction import extract

_WORD = re.compile(r"\w+")


def main(arguments: Sequence[str] | None = None) -> None:
    """Extract all pages, and write a section of bench/results.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the pages and their expected texts")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write to")
    options = parser.parse_args(arguments)
    scores = defaultdict[str, list[tuple[float, float, float]]](list)
    seconds = 0.0
    for path in sorted((options.folder / "expected").glob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        html = (options.folder / "html" / f"{path.stem}.html").read_bytes()
        start = time.process_time()
        found = extract(html, url=page["url"] or "https://example.com/").facts.text
        seconds += time.process_time() - start
        scores[page["type"]].append(score(_words(found), _words(page["main_content"])))
    every = [one for ones in scores.values() for one in ones]
    rows = [
        [kind, str(len(ones)), *[f"{mean(values):.3f}" for values in zip(*ones, strict=True)]]
        for kind, ones in (*sorted(scores.items()), ("all", every))
    ]
    text = f"""
## Main text by type of page: {len(every)} pages of WCXB

{table(["type", "pages", "precision", "recall", "F1"], rows)}

The scores are means over the pages, of single words. The pages are part of the development pages of the Web Content
Extraction Benchmark (WCXB, 2026, CC BY 4.0), with more pages of the difficult types. They were read in
{seconds / len(every) * 1000:.1f} ms each.

{setting(("wavecrawl", "selectolax", "msgspec"))}
"""
    print(text)
    write_section("page types", text, file=options.results)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def score(found: Counter[str], expected: Counter[str]) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    shared = (found & expected).total()
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / found.total(), shared / expected.total()
    return precision, recall, 2 * precision * recall / (precision + recall)


if __name__ == "__main__":
    main()
