"""Write docs/api.md and docs/page.schema.json: `python -m generate`. With `--check`, only report if one is out of date.

`python -m generate --openapi FILE` writes the OpenAPI document, from which the types of the dashboard are generated.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from generate.columns import columns_page
from generate.document import operations_of, served_document
from generate.markdown import api_page
from wavecrawl.api_models.page_schema import page_schema

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"


def generated() -> dict[Path, str]:
    """Return the texts of the generated files."""
    document = served_document()
    return {
        DOCS / "api.md": api_page(document, operations_of(document)),
        DOCS / "columns.md": columns_page(),
        DOCS / "page.schema.json": json.dumps(page_schema(), indent=2) + "\n",
    }


def main() -> int:
    """Write the page, or check it."""
    options = argparse.ArgumentParser(
        prog="python -m generate", description="Generate docs/api.md and docs/page.schema.json."
    )
    options.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    options.add_argument("--openapi", type=Path, metavar="FILE", help="write the OpenAPI document instead")
    given = options.parse_args()
    if given.openapi:
        given.openapi.parent.mkdir(parents=True, exist_ok=True)
        return _written(given.openapi, json.dumps(served_document()))
    texts = generated()
    if not given.check:
        return max(_written(file, text) for file, text in texts.items())
    old = [file.name for file, text in texts.items() if not _same(file, text)]
    if old:
        print(f"{', '.join(old)} in docs/ is out of date; run `make generate`", file=sys.stderr)
    return 1 if old else 0


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
