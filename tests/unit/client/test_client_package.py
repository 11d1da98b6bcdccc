"""The dependencies of `wavecrawl.client`, and docs/api.md, which must be up to date."""

import subprocess
import sys
from pathlib import Path

import pytest
from generate.__main__ import generated, main
from pydantic import BaseModel

import wavecrawl
from wavecrawl import client

_ONLY = """
import sys
from importlib.abc import MetaPathFinder

ALLOWED = {"wavecrawl", "requests", "urllib3", "certifi", "idna", "charset_normalizer", "pydantic", "pydantic_core",
           "annotated_types", "typing_extensions", "typing_inspection", "msgspec"}

class Nothing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in ALLOWED and top not in sys.stdlib_module_names and not top.startswith("_"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Nothing())
import wavecrawl.client
wavecrawl.client.Client("http://127.0.0.1:9", "k").close()
print(sorted({".".join(name.split(".")[:2]) for name in sys.modules if name.startswith("wavecrawl.")}))
"""


def test_requests_pydantic_and_msgspec_are_enough() -> None:
    """Runs in a process in which nothing else can be imported."""
    package = str(Path(wavecrawl.__file__).parent.parent)
    ran = subprocess.run(
        [sys.executable, "-c", _ONLY], capture_output=True, text=True, check=False, env={"PYTHONPATH": package}
    )
    layers = ["wavecrawl.api_models", "wavecrawl.client", "wavecrawl.domain", "wavecrawl.errors", "wavecrawl.version"]
    assert (ran.returncode, ran.stdout.strip()) == (0, str(layers)), ran.stderr


def test_every_group_of_settings_is_exported() -> None:
    settings = vars(client.CrawlSettings())
    names = {type(value).__name__ for value in settings.values() if isinstance(value, BaseModel)}
    assert "RecrawlSettings" in names
    assert names <= set(client.__all__)


def test_the_page_of_the_api_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make generate` updates it."""
    monkeypatch.setattr("sys.argv", ["generate", "--check"])
    assert main() == 0


def test_a_page_that_is_out_of_date_is_reported_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "api.md"
    page.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr("generate.__main__.DOCS", tmp_path)
    monkeypatch.setattr("sys.argv", ["generate", "--check"])
    assert (main(), page.read_text(encoding="utf-8")) == (1, "old\n")
    monkeypatch.setattr("sys.argv", ["generate"])
    assert (main(), page.read_text(encoding="utf-8")) == (0, generated()[page])
