"""What the client needs to be loaded, and that it is what the API's document makes of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from generate.__main__ import ROOT, stale

import wavecrawl

_ONLY = """
import sys
from importlib.abc import MetaPathFinder

ALLOWED = {"wavecrawl", "requests", "urllib3", "certifi", "idna", "charset_normalizer", "pydantic", "pydantic_core",
           "annotated_types", "typing_extensions", "typing_inspection"}

class Nothing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in ALLOWED and top not in sys.stdlib_module_names and not top.startswith("_"):
            refused.add(top)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

refused = set()
sys.meta_path.insert(0, Nothing())
import wavecrawl.client
wavecrawl.client.Client("http://127.0.0.1:9", "k").close()
loaded = {name for name in sys.modules if name.startswith("wavecrawl.")}
print(sorted(name for name in loaded if not name.startswith("wavecrawl.client") and name != "wavecrawl.errors"))
"""


def test_requests_and_pydantic_are_enough() -> None:
    """In a process of its own, in which nothing else can be imported, and nothing of the crawler is."""
    package = str(Path(wavecrawl.__file__).parent.parent)
    ran = subprocess.run(
        [sys.executable, "-c", _ONLY], capture_output=True, text=True, check=False, env={"PYTHONPATH": package}
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, "[]"), ran.stderr


def test_what_is_generated_is_what_the_document_says() -> None:
    """`make generate` mends it."""
    assert [str(path.relative_to(ROOT)) for path in stale()] == []


def test_a_file_that_differs_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = tmp_path / "models.py"
    models.write_text("old\n", encoding="utf-8")
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "gone.py").write_text("old\n", encoding="utf-8")
    monkeypatch.setattr("generate.__main__.CLIENT", tmp_path)
    names = {path.name for path in stale()}
    assert {"models.py", "gone.py", "crawls.py"} <= names
