"""`wavecrawl crawl` with the text of the body in place of the main text: the difference is what the main text costs.

The text of the body costs little. An empty text would not do, because pages without text look like a trap.
"""

import sys
from unittest.mock import patch

from wavecrawl.cli.main import main
from wavecrawl.domain.pages import extraction
from wavecrawl.domain.pages.extraction.survey import Survey


def body_text(page: Survey, _base: str) -> str:
    """Return the text of the whole body, with navigation, in one line."""
    body = page.tree.body
    return " ".join(body.text().split()) if body else ""


if __name__ == "__main__":
    sys.argv[0] = "wavecrawl"
    with patch.object(extraction, "main_text", body_text):  # its workers are forked
        main()
