"""The setting `text`: a crawl for links alone reads no texts, and nothing takes that for pages without words."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.media_site import MediaSite, html

from wavecrawl.application.index_report import has_texts_to_index
from wavecrawl.bootstrap.knowledge import index_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.objectives import ObjectiveName
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.pages.text_choice import TextChoice

NAV = "<nav><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></nav>"
MAIN = f"<main><p>{'A sentence about the harbour, which is long enough. ' * 20}</main>"
PAGES = {
    "/": html(f"{NAV}<h1>Root</h1>{MAIN}"),
    "/a": html(NAV + MAIN),
    "/b": html(NAV + MAIN),
    "/c": html(f"{MAIN}<p>c"),
}


def lines(done: Done) -> dict[str, dict[str, object]]:
    return {"/" + page["url"].split("/", 3)[3]: page for page in done.pages()}


def test_a_crawl_without_texts_judges_no_words_and_the_next_crawl_reads_them(tmp_path: Path) -> None:
    with MediaSite(PAGES) as site:
        first = crawl_inline(site.url, tmp_path)
        done = crawl_inline(site.url, tmp_path, replace(QUICK, text=TextChoice.NONE))
        again = lines(crawl_inline(site.url, tmp_path, replace(QUICK, text=TextChoice.BODY)))
    found = lines(done)
    assert {path: (page["words"], page["text"]) for path, page in found.items()} == dict.fromkeys(PAGES, (0, ""))
    assert {path: page["text_hash"] for path, page in found.items()} == {
        path: sha256(body).hexdigest() for path, (_, body) in PAGES.items()
    }
    duplicates = {path: page["duplicate_of"] for path, page in found.items() if page["duplicate_of"]}
    assert duplicates == {"/b": f"{site.url}a"}
    assert done.summary.issues.get("low_word_count", 0) == 0
    assert [one.value for one in done.summary.objectives if one.name is ObjectiveName.DENSITY] == [None]
    assert len(done.edges()) > 5
    assert {path: page["state"] for path, page in again.items()} == dict.fromkeys(PAGES, "fetched")
    assert str(again["/a"]["text"]).startswith("One Two Three\n\nA sentence")
    _index_keeps_what_it_has(tmp_path, first, done)


def _index_keeps_what_it_has(folder: Path, first: Done, without: Done) -> None:
    with closing(LocalStore(folder)) as store:
        id_ = SiteId(tenant=first.row.id.tenant, site=first.row.id.site)
        index_local_crawl(store, first.row)
        known = store.knowledge.passages.hashes(id_)
        assert known
        index_local_crawl(store, without.row)
        assert store.knowledge.passages.hashes(id_) == known
        assert [has_texts_to_index(done.row.settings) for done in (first, without)] == [True, False]
