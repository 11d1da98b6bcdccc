"""Write docs/api.md: `python -m generate`. With `--check`, only report whether it is out of date."""

import argparse
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
    check, text = options.parse_args().check, generated()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if check:
        print("docs/api.md is out of date; run `make generate`", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print("docs/api.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
