"""The media of real documentation, compared with an independent walk over the files."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.campaign import ALL, CAMPAIGN
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.docs_sites import SITES, DocsSite
from tests.support.fake_media import MemoryAssets
from tests.support.folder_server import FolderServer

from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

PAGES = 100_000 if CAMPAIGN else 12
SETTINGS = replace(QUICK, media=MediaSettings(include=tuple(MediaGroup)), max_pages=PAGES)


DOCUMENTS = tuple(".pdf .doc .docx .ppt .pptx .xls .xlsx .odt .ods .odp .epub .rtf".split())


class Media(HTMLParser):
    """The media of one page, in document order. These sites use no responsive images, which it would not understand."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.found: dict[str, None] = {}
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        assert tag not in ("picture", "video", "base")
        assert "srcset" not in values
        assert "data-src" not in values
        if tag == "img":
            self._add(values.get("src", ""))
        if tag == "a" and urlsplit(values.get("href", "")).path.lower().endswith(DOCUMENTS):
            self._add(values["href"])
        if "background" in values.get("style", ""):
            self._add_backgrounds(values["style"])

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self._add_backgrounds(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = self._in_style and tag != "style"

    def _add_backgrounds(self, css: str) -> None:
        for url in re.findall(r"background(?:-image)?\s*:[^;}]*url\(['\"]?([^'\")]+)", css):
            self._add(url)

    def _add(self, reference: str) -> None:
        url = urldefrag(urljoin(self.url, reference.strip()))[0]
        if url.startswith("http"):
            self.found[url] = None


def expected(site: DocsSite, done: Done) -> Iterator[tuple[str, str]]:
    """Yield page and URL for each use of media, in the order of the crawl's pages."""
    for page in done.pages():
        if page["state"] == "fetched" and page["content_type"] == "text/html":
            file = site.folder / unquote(urlsplit(page["url"]).path).lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            walk = Media(page["final_url"] or page["url"])
            walk.feed(file.read_text(encoding="utf-8", errors="replace"))
            yield from ((page["url"], url) for url in walk.found)


@pytest.mark.parametrize("site", SITES[0 if ALL else 1 : 2], ids=lambda site: site.package)
def test_the_media_are_those_of_an_independent_walk_and_never_received_again(site: DocsSite, tmp_path: Path) -> None:
    if not site.there:
        pytest.skip(f"{site.package} is not installed")
    assets = MemoryAssets()
    with FolderServer(site.folder) as server:
        done = crawl_inline(server.url, tmp_path, SETTINGS, assets=assets)
        assert done.summary.pages > 10
        uses = duckdb.connect().read_parquet(str(done.exports / "media_uses.parquet")).project("page, url").fetchall()
        assert uses == list(expected(site, done))
        server.forget()
        crawl_inline(server.url, tmp_path, SETTINGS, assets=assets)
        media = duckdb.connect().read_parquet(str(done.exports / "media.parquet"))
        stored = media.filter("state = 'fetched'").project("url").fetchall()
        received = {server.origin + one.path for one in server.log if one.status == 200}
        assert not {url for (url,) in stored} & received
