"""Write docs/api.md: `python -m generate`. With `--check`, only report whether it is out of date.

`python -m generate --openapi FILE` writes the OpenAPI document, from which the types of the dashboard are generated.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from generate.document import operations_of, served_document
from generate.markdown import api_page

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "api.md"


def generated() -> str:
    """Return the text of docs/api.md."""
    document = served_document()
    return api_page(document, operations_of(document))


def main() -> int:
    """Write the page, or check it."""
    options = argparse.ArgumentParser(prog="python -m generate", description="Generate docs/api.md.")
    options.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    options.add_argument("--openapi", type=Path, metavar="FILE", help="write the OpenAPI document instead")
    given = options.parse_args()
    if given.openapi:
        given.openapi.parent.mkdir(parents=True, exist_ok=True)
        return _written(given.openapi, json.dumps(served_document()))
    check, text = given.check, generated()
    if check and not _same(PAGE, text):
        print("docs/api.md is out of date; run `make generate`", file=sys.stderr)
        return 1
    return 0 if check else _written(PAGE, text)


def _written(file: Path, text: str) -> int:
    """Write a file if that changes it."""
    if not _same(file, text):
        file.write_text(text, encoding="utf-8")
        print(file.name)
    return 0


def _same(file: Path, text: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
