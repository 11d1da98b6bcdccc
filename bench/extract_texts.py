"""Another library in the comparison: `python bench/extract_texts.py LIBRARY FOLDER` extracts the text of all pages.

Each page is one line of JSON on the standard output: its name, its text and the seconds of CPU. The process runs in the
environment of the other libraries.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

_URL = "https://example.com/a/page"


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


def markdown_by_trafilatura() -> Callable[[bytes], str]:
    """Return the conversion to Markdown of trafilatura."""
    from trafilatura import extract  # noqa: PLC0415 - only one library is loaded

    return lambda html: (
        extract(html, url=_URL, output_format="markdown", include_links=True, include_tables=True,
                include_formatting=True, include_comments=True) or ""
    )  # fmt: skip


def markdown_by_html_to_markdown() -> Callable[[bytes], str]:
    """Return the conversion of html-to-markdown, without navigation and forms."""
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert  # noqa: PLC0415 - the same

    cleaning = PreprocessingOptions(enabled=True, preset="aggressive", remove_navigation=True, remove_forms=True)
    options = ConversionOptions(preprocessing=cleaning)
    return lambda html: convert(html.decode("utf-8", "replace"), options).content or ""


def markdown_by_crawl4ai(*, fit: bool) -> Callable[[bytes], str]:
    """Return the conversion of Crawl4AI's generator. `fit`: of the content that its filter keeps."""
    from crawl4ai.content_filter_strategy import PruningContentFilter  # noqa: PLC0415 - the same
    from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator  # noqa: PLC0415 - the same

    generator = DefaultMarkdownGenerator(content_filter=PruningContentFilter() if fit else None)

    def text(html: bytes) -> str:
        made = generator.generate_markdown(html.decode("utf-8", "replace"), base_url=_URL, citations=False)
        return str(made.fit_markdown if fit else made.raw_markdown)

    return text


def main(library: str, folder: Path) -> None:
    """Extract all pages once."""
    text = _LIBRARIES[library]()
    for path in sorted(folder.glob("*.html")):
        html = path.read_bytes()
        start = time.process_time()
        found = text(html)
        print(json.dumps({"name": path.stem, "text": found, "seconds": time.process_time() - start}))


_LIBRARIES: dict[str, Callable[[], Callable[[bytes], str]]] = {
    "trafilatura": trafilatura,
    "readability-lxml": readability,
    "markdown by trafilatura": markdown_by_trafilatura,
    "markdown by html-to-markdown": markdown_by_html_to_markdown,
    "markdown by crawl4ai": partial(markdown_by_crawl4ai, fit=False),
    "markdown by crawl4ai, fit": partial(markdown_by_crawl4ai, fit=True),
}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
