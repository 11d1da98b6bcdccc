"""wavecrawl without main texts: `python -m bench.crawl_without_main_texts crawl URL ...` shows what they cost."""

from unittest.mock import patch

from wavecrawl.cli.main import main

patch("wavecrawl.domain.pages.extraction.main_text", lambda _page, _base: "").start()  # also in worker processes

if __name__ == "__main__":
    main()
