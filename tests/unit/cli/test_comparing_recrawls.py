"""`wavecrawl compare` of a crawl and a recrawl in which pages were not modified."""

import gzip
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app


@pytest.mark.parametrize(
    ("state", "code", "said"),
    [
        ("unchanged", Exit.OK, "the two crawls agree"),
        ("not_found", Exit.NEGATIVE, "https://site.example/: fetched / not_found"),
    ],
)
def test_an_unchanged_page_is_as_good_as_a_fetched_one(tmp_path: Path, state: str, code: Exit, said: str) -> None:
    for name, now in (("one", "fetched"), ("other", state)):
        (tmp_path / name).mkdir()
        line = f'{{"url":"https://site.example/","state":"{now}","depth":0}}\n'
        (tmp_path / name / "pages.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    result = CliRunner().invoke(app, ["compare", str(tmp_path / "one"), str(tmp_path / "other")])
    assert (result.exit_code, said in result.output) == (code, True)
