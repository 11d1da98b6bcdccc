"""Write the main text of each page of a site as JSON Lines: python corpus.py https://example.com/ corpus.jsonl."""

import json
import sys
from pathlib import Path

import wavecrawl

LEAST_WORDS = 20


def main(url: str, path: Path) -> None:
    """Crawl a site, and write its pages with a text, each text once. Print how many were written and left out."""
    seen = set()
    short = repeated = 0
    with path.open("w", encoding="utf-8") as file:
        for page in wavecrawl.iter_crawl(url, max_pages=2_000):
            if page.words < LEAST_WORDS:
                short += 1
                continue
            if page.text in seen:
                repeated += 1
                continue
            seen.add(page.text)
            headings = [text for _, text in page.headings]
            line = {"url": page.url, "title": page.title, "headings": headings, "markdown": page.markdown}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    left_out = f"{short:,} pages with fewer than {LEAST_WORDS} words, {repeated:,} with a text that is there already"
    sys.stderr.write(f"{path}: {len(seen):,} texts; left out: {left_out}\n")


main(sys.argv[1], Path(sys.argv[2]))
