import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.adapters.markdown_files import MarkdownFiles, write_lines, write_markdown
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.page_parser import UnlimitedParser

CRAWL = CrawlId(tenant="t", site="s", crawl="c")
LOST = "0" * 31 + "9"
PROBLEM = "its response has expired"


class Canned(MarkdownView):
    """A view in which each page but one has the same Markdown."""

    def __init__(self) -> None:
        super().__init__(FolderArchive(Path()), UnlimitedParser(), CrawlSettings())

    def at(self, place: str) -> PageMarkdown:
        """Return the Markdown of a page."""
        if place.endswith(LOST):
            return PageMarkdown(text=None, problem=PROBLEM)
        return PageMarkdown(text="**Text**" if place else "")


def line(url: str, *, key: str, text: str = "Text", duplicate_of: str = "") -> dict[str, str]:
    return {
        "key": key, "url": url, "title": 'A "title"', "text": text, "duplicate_of": duplicate_of,
        "batch": "000001-0000-1",
    }  # fmt: skip


def write_pages(folder: Path, *lines: dict[str, str]) -> None:
    (folder / "pages.jsonl.gz").write_bytes(gzip.compress("".join(f"{json.dumps(one)}\n" for one in lines).encode()))


def written_of(folder: Path) -> MarkdownFiles:
    return write_markdown(folder, folder / "out", CRAWL, Canned())


def test_each_page_has_a_file_with_a_safe_and_unique_name(tmp_path: Path) -> None:
    urls = (
        "https://example.com",
        "https://example.com/",
        "https://example.com/docs/a.html?b=1&c=../..",
        "https://example.com/%C3%A4/" + "x" * 300,
        "https://example.com/../../etc/passwd",
    )
    write_pages(tmp_path, *(line(url, key=f"{n:032x}"[::-1]) for n, url in enumerate(urls)))
    written = written_of(tmp_path)
    folder, together = written.paths
    assert written.missing.pages == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "docs-a.html-b-1-c-2000000000000000.md",
        "etc-passwd-4000000000000000.md",
        "index-0000000000000000.md",
        "index-1000000000000000.md",
        "ä-" + "x" * 48 + "-3000000000000000.md",
    ]
    one = '---\nurl: "https://example.com/"\ntitle: "A \\"title\\""\n---\n\n**Text**\n'
    assert (folder / "index-1000000000000000.md").read_text(encoding="utf-8") == one
    assert one + "\n---\n" in together.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "duplicates"),
    [
        ({"duplicate_of": "https://example.com/a"}, 2),
        ({"text": ""}, 0),
        ({"text": "", "duplicate_of": "https://example.com/a"}, 0),
    ],
)
def test_duplicates_and_pages_without_text_have_no_file_and_duplicates_are_counted(
    tmp_path: Path, page: dict[str, str], duplicates: int
) -> None:
    write_pages(tmp_path, *(line(f"https://example.com/{key}", key=key, **page) for key in "ab"))
    written = written_of(tmp_path)
    folder, together = written.paths
    assert (list(folder.iterdir()), together.read_bytes()) == ([], b"")
    assert written.duplicates == duplicates


def test_pages_that_cannot_be_read_any_more_have_no_file_and_are_counted(tmp_path: Path) -> None:
    write_pages(tmp_path, *(line(f"https://example.com/{n}", key=LOST) for n in range(2)), line("u", key="a"))
    written = written_of(tmp_path)
    assert [path.name for path in written.paths[0].iterdir()] == ["index-a.md"]
    missing = written.missing
    assert (missing.pages, missing.url, missing.problem) == (2, "https://example.com/0", PROBLEM)


def test_the_lines_of_pages_get_the_markdown_too(tmp_path: Path) -> None:
    lines = [line("a", key="a"), line("b", key="b", text=""), line("c", key=LOST), line("d", key="d", duplicate_of="a")]
    write_pages(tmp_path, *lines)
    (tmp_path / "out").mkdir()
    written = write_lines(tmp_path, tmp_path / "out", CRAWL, Canned())
    (path,) = written.paths
    found: list[dict[str, Any]] = [json.loads(one) for one in gzip.decompress(path.read_bytes()).splitlines()]
    assert [one.pop("markdown") for one in found] == ["**Text**", "", None, "**Text**"]
    assert found == lines
    assert (written.missing.pages, written.missing.problem) == (1, PROBLEM)


def test_the_markdown_that_an_earlier_version_stored_is_used(tmp_path: Path) -> None:
    stored = [line(name, key=LOST) | {"markdown": f"_{name}_"} for name in "ab"]
    lines = [*stored, line("c", key="c", text="") | {"markdown": ""}]
    write_pages(tmp_path, *lines)
    written = written_of(tmp_path)
    assert (written.missing.pages, "_a_" in written.paths[1].read_text(encoding="utf-8")) == (0, True)
    written = write_lines(tmp_path, tmp_path / "out", CRAWL, Canned())
    assert gzip.decompress(written.paths[0].read_bytes()) == gzip.decompress((tmp_path / "pages.jsonl.gz").read_bytes())
    assert written.missing.pages == 0


def test_damaged_results_are_reported(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(CorruptDataError, match="--rebuild"):
        written_of(tmp_path)
