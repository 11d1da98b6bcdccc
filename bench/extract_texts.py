"""Another library in the comparison: `python bench/extract_texts.py LIBRARY FOLDER` extracts the text of all pages.

Each page is one line of JSON on the standard output: its name, its text and the seconds of CPU. The process runs in the
environment of the other libraries.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def trafilatura() -> Callable[[bytes], str]:
    """Return the extraction of trafilatura, without comments."""
    from trafilatura import extract  # noqa: PLC0415 - only one library is loaded

    return lambda html: extract(html, include_comments=False) or ""


def readability() -> Callable[[bytes], str]:
    """Return the extraction of readability-lxml. It returns HTML, whose text is read with lxml."""
    from lxml.html import fromstring  # noqa: PLC0415 - only one library is loaded
    from readability import Document  # noqa: PLC0415 - the same

    def text(html: bytes) -> str:
        summary = Document(html.decode("utf-8", "replace")).summary(html_partial=True)
        return " ".join(str(part) for part in fromstring(summary).itertext())

    return text


def main(library: str, folder: Path) -> None:
    """Extract all pages once."""
    text = {"trafilatura": trafilatura, "readability-lxml": readability}[library]()
    for path in sorted(folder.glob("*.html")):
        html = path.read_bytes()
        start = time.process_time()
        found = text(html)
        print(json.dumps({"name": path.stem, "text": found, "seconds": time.process_time() - start}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
