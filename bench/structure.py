"""How well the structure of pages is kept as Markdown, beside other programs: `python -m bench.structure`.

bench/data/structure has 40 pages with the markup that generators of sites write, NAME.html, and the Markdown that a
person would write for each, NAME.md. Both were written for this benchmark, and are part of this project.

The Markdown of each program is read by one parser (markdown-it, CommonMark with tables). Then parts are counted over
all pages, as multisets; F1 is the harmonic mean of precision and recall. Words are compared without case and markup.

- blocks: paragraphs and headings, each with its level
- tables: rows, with the words of each cell and whether the row is the head
- code: lines of code blocks, with their indentation
- lists: items, with their level, whether they are numbered, and the words of their first paragraph
- links: words and absolute URL
"""

import argparse
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urljoin

from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from wavecrawl.domain.pages.extraction import read_markdown

FOLDER = ROOT / "bench" / "data" / "structure"
URL = "https://example.com/a/page"
LIBRARIES = ("trafilatura", "html-to-markdown", "crawl4ai", "crawl4ai, fit")
PARTS = ("blocks", "tables", "code", "lists", "links")
_FOOTNOTE = re.compile(r"^\[\^[^\]]+\]: ", re.MULTILINE)
_READER = MarkdownIt("commonmark").enable("table")
_LISTS = {"bullet_list": False, "ordered_list": True}

Parts = dict[str, Counter[tuple[object, ...]]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Score all programs, and write a section of bench/results.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-bench-markdown" / "bin" / "python")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write to")
    parser.add_argument("--pages", action="store_true", help="print the parts of each page that wavecrawl has not")
    options = parser.parse_args(arguments)
    expected = {path.stem: parts_of(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.md"))}
    found = {"wavecrawl": {name: parts_of(own(name)) for name in expected}}
    if options.pages:
        for name, parts in expected.items():
            print_differences(name, found["wavecrawl"][name], parts)
    if options.python.exists():
        for library in LIBRARIES:
            found[library] = {name: parts_of(text) for name, text in other(options.python, library)}
    rows = [
        [program, *(f"{f1([(pages[name][part], expected[name][part]) for name in expected]):.3f}" for part in PARTS)]
        for program, pages in found.items()
    ]
    text = f"""
## Structure: {len(expected)} pages as Markdown

{table(["program", *PARTS], rows)}

F1 of parts: paragraphs and headings, rows of tables, lines of code, items of lists, links. `bench/data/structure` has
the pages, as generators of documentation, blogs, wikis, forums, shops, news and recipes write them, and the Markdown
expected of each. trafilatura writes Markdown with links, tables, formatting and comments. html-to-markdown leaves out
navigation and forms (preset "aggressive"). crawl4ai is its default generator; "fit" is with its PruningContentFilter.
crawl4ai without it and html-to-markdown do not look for the main content.

{setting(("wavecrawl", "selectolax", "markdown-it-py"))}
"""
    print(text)
    write_section("structure", text, file=options.results)


def own(name: str) -> str:
    """Return the Markdown that wavecrawl makes of a page."""
    content = (FOLDER / f"{name}.html").read_bytes()
    return read_markdown(content, url=URL, encoding="utf-8").markdown


def other(python: Path, library: str) -> Iterator[tuple[str, str]]:
    """Yield the names of pages with the Markdown that another program makes of them, in its own environment."""
    command = [
        str(python),
        "-W",
        "ignore",
        str(ROOT / "bench" / "extract_texts.py"),
        f"markdown by {library}",
        str(FOLDER),
    ]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in found.stdout.splitlines():
        if line.startswith(b"{"):
            page = json.loads(line)
            yield page["name"], page["text"]


def f1(pages: Sequence[tuple[Counter[tuple[object, ...]], Counter[tuple[object, ...]]]]) -> float:
    """Return the F1 of found and expected parts."""
    shared = sum((found & expected).total() for found, expected in pages)
    total = sum(found.total() + expected.total() for found, expected in pages)
    return 2 * shared / total if total else 0.0


def parts_of(markdown: str) -> Parts:
    """Return the parts of a text in Markdown."""
    parts: Parts = {name: Counter() for name in PARTS}
    _add(SyntaxTreeNode(_READER.parse(_FOOTNOTE.sub("", markdown))), parts, 0)
    return parts


def _add(node: SyntaxTreeNode, parts: Parts, level: int) -> None:
    for child in node.children:
        if child.type in ("paragraph", "heading"):
            words = _words(child)
            if words:
                parts["blocks"][child.tag, words] += 1
        elif child.type in ("fence", "code_block"):
            parts["code"].update((line.rstrip(),) for line in child.content.splitlines() if line.strip())
        elif child.type == "tr":
            cells = [_words(cell) for cell in child.children]
            if any(cells):
                is_head = child.children[0].type == "th"
                parts["tables"][is_head, *cells] += 1
        elif child.type == "list_item":
            first = next((_words(one) for one in child.children if one.type == "paragraph"), "")
            parts["lists"][level, _LISTS[node.type], first] += 1
        elif child.type == "link":
            parts["links"][_words(child), urljoin(URL, str(child.attrs.get("href", "")))] += 1
        _add(child, parts, level + (child.type in _LISTS))


def _words(node: SyntaxTreeNode) -> str:
    """Return the words of a node, without HTML such as `<br>`."""
    return " ".join(re.findall(r"\w+", " ".join(_texts(node.to_tokens())))).lower()


def _texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children:
            yield from _texts(token.children)
        elif token.type in ("text", "code_inline"):
            yield token.content


def print_differences(name: str, found: Parts, expected: Parts) -> None:
    """Print what a page lacks (-) and has instead (+)."""
    for part in PARTS:
        for sign, parts in (("-", expected[part] - found[part]), ("+", found[part] - expected[part])):
            for one in parts.elements():
                print(name, part, sign, one)


if __name__ == "__main__":
    main()
