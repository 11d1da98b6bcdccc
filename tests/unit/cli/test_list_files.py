"""Files of `--urls`."""

import gzip
from pathlib import Path

import pytest

from wavecrawl.cli.options import urls_of
from wavecrawl.errors import InvalidInputError


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_of_urls_may_be_compressed_and_have_any_size(tmp_path: Path, *, compressed: bool) -> None:
    urls = [f"https://site.example/{number}" for number in range(100_000)]
    text = "# products\n" + "\n".join(urls)
    file = tmp_path / "urls"
    file.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    assert list(urls_of(file)) == urls


def test_only_the_lines_that_are_needed_are_read(tmp_path: Path) -> None:
    file = tmp_path / "urls"
    file.write_text("https://site.example/\nno url\n", encoding="utf-8")
    urls = urls_of(file)
    assert next(urls) == "https://site.example/"
    with pytest.raises(InvalidInputError, match=r"--urls .*urls, line 2: not a URL: 'no url'"):
        next(urls)
