import gzip
import json
from pathlib import Path

import pytest

from wavecrawl.adapters.markdown_files import write_markdown
from wavecrawl.errors import CorruptDataError


def write_pages(folder: Path, *urls: str, duplicate_of: str = "", markdown: str = "Text") -> None:
    lines = [
        json.dumps(
            {
                "key": f"{n:032x}"[::-1],
                "url": url,
                "title": 'A "title"',
                "markdown": markdown,
                "duplicate_of": duplicate_of,
            }
        )
        for n, url in enumerate(urls)
    ]
    (folder / "pages.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))


def test_each_page_has_a_file_with_a_safe_and_unique_name(tmp_path: Path) -> None:
    urls = (
        "https://example.com",
        "https://example.com/",
        "https://example.com/docs/a.html?b=1&c=../..",
        "https://example.com/%C3%A4/" + "x" * 300,
        "https://example.com/../../etc/passwd",
    )
    write_pages(tmp_path, *urls)
    written = write_markdown(tmp_path, tmp_path / "out")
    assert sorted(path.name for path in written.folder.iterdir()) == [
        "docs-a.html-b-1-c-2000000000000000.md",
        "etc-passwd-4000000000000000.md",
        "index-0000000000000000.md",
        "index-1000000000000000.md",
        "ä-" + "x" * 48 + "-3000000000000000.md",
    ]
    one = '---\nurl: "https://example.com/"\ntitle: "A \\"title\\""\n---\n\nText\n'
    assert (written.folder / "index-1000000000000000.md").read_text(encoding="utf-8") == one
    assert one + "\n---\n" in written.together.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "duplicates"),
    [
        ({"duplicate_of": "https://example.com/a"}, 2),
        ({"markdown": ""}, 0),
        ({"markdown": "", "duplicate_of": "https://example.com/a"}, 0),
    ],
)
def test_duplicates_and_pages_without_text_have_no_file_and_duplicates_are_counted(
    tmp_path: Path, page: dict[str, str], duplicates: int
) -> None:
    write_pages(tmp_path, "https://example.com/", "https://example.com/b", **page)
    written = write_markdown(tmp_path, tmp_path / "out")
    assert (list(written.folder.iterdir()), written.together.read_bytes()) == ([], b"")
    assert written.duplicates == duplicates


def test_damaged_results_are_reported(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(CorruptDataError, match="--rebuild"):
        write_markdown(tmp_path, tmp_path)
