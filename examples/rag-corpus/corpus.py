"""Write the main text of each page of a site as JSON Lines: python corpus.py https://example.com/ corpus.jsonl."""

import json
import sys
from pathlib import Path

import wavecrawl

LEAST_WORDS = 20


def main(url: str, path: Path) -> None:
    """Crawl a site, and write its pages with a text, each text once."""
    seen = set()
    with path.open("w", encoding="utf-8") as file:
        for page in wavecrawl.iter_crawl(url, max_pages=2_000):
            if page.words < LEAST_WORDS or page.text in seen:
                continue
            seen.add(page.text)
            headings = [text for _, text in page.headings]
            line = {"url": page.url, "title": page.title, "headings": headings, "markdown": page.markdown}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


main(sys.argv[1], Path(sys.argv[2]))
