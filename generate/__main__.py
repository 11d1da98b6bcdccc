"""Write what follows from the OpenAPI document: `python -m generate`.

With `--check` nothing is written; it says what is out of date.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Final

from generate.document import operations_of, served_document
from generate.markdown import api_page
from generate.python_models import models_module
from generate.python_operations import operations_package

ROOT: Final = Path(__file__).resolve().parent.parent
CLIENT: Final = ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl" / "client"


def generated() -> dict[Path, str]:
    """Return every generated file with its text."""
    document = served_document()
    operations = operations_of(document)
    components = document["components"]["schemas"]
    modules = operations_package(components, operations)
    python = {CLIENT / "models.py": models_module(components, operations)}
    python |= {CLIENT / "operations" / name: text for name, text in modules.items()}
    formatted = {path: _formatted(text) for path, text in python.items()}
    return formatted | {ROOT / "docs" / "api.md": api_page(document, operations)}


def stale() -> list[Path]:
    """Return the files that are not what they should be, or should not be at all."""
    wanted = generated()
    there = {CLIENT / "models.py", *(CLIENT / "operations").glob("*.py")}
    differing = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return sorted([*differing, *(there - set(wanted))])


def main() -> int:
    """Write the files, or check them."""
    options = argparse.ArgumentParser(prog="python -m generate", description="Write API page and client")
    options.add_argument("--check", action="store_true", help="write nothing; fail where a file is out of date")
    if options.parse_args().check:
        found = stale()
        for path in found:
            print(f"{path.relative_to(ROOT)} is out of date; make generate mends it", file=sys.stderr)
        return 1 if found else 0
    wanted = generated()
    for path in stale():
        if path in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
        print(path.relative_to(ROOT))
    return 0


def _formatted(text: str) -> str:
    """Return a module in the house format."""
    ruff = Path(sys.executable).with_name("ruff")
    for step in (["check", "--fix", "--select", "I,UP,F401,PIE807", "--quiet"], ["format", "--quiet"]):
        command = [str(ruff), *step, "--stdin-filename", str(CLIENT / "generated.py"), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


if __name__ == "__main__":
    sys.exit(main())
