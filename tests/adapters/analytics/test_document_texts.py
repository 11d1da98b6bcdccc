from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
from msgspec.structs import replace
from tests.support.crawling import QUICK, crawl_inline
from tests.support.fake_media import MemoryAssets
from tests.support.media_site import MediaSite, html

from wavecrawl.adapters.analytics.document_texts import document_texts
from wavecrawl.application.search_site import search_site
from wavecrawl.bootstrap.knowledge import index_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

DOCUMENTS = replace(QUICK, media=MediaSettings(include=(MediaGroup.DOCUMENTS,)))
TEXT = "The depth of a tank is measured at noon. " * 2_000  # several pieces
CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html(
        "<p>A page with documents about many things.</p><a href=/sheet.pdf>A sheet</a><a href=/gone.pdf>No</a>"
        "<a href=/guide.pdf>Guide</a>"
    ),
    "/sheet.pdf": ("application/pdf", b"%PDF-1.7\n" + TEXT.encode()),
    "/guide.pdf": ("application/pdf", b"%PDF-1.7\n# Depths\n\n" + TEXT.replace("noon", "*night*").encode()),
}


def parquet(path: Path, columns: Sequence[str], rows: Sequence[tuple[object, ...]]) -> Path:
    with duckdb.connect() as db:
        db.execute(f"CREATE TABLE t ({', '.join(columns)})")
        db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608 - question marks
        db.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def test_documents_of_a_crawl_are_found_with_their_whole_text(tmp_path: Path) -> None:
    with MediaSite(CONTENT) as site:
        done = crawl_inline(site.url, tmp_path, DOCUMENTS, assets=MemoryAssets())
    texts = sorted(tmp_path.glob("tables/texts/**/*.parquet"))
    documents = document_texts(done.exports / "media.parquet", texts, crawl="c")
    found = {one.text.url.rpartition("/")[2]: one for one in documents}
    assert found["sheet.pdf"].fate is Fate.TEXT
    assert found["sheet.pdf"].text.text.count("measured at noon") == 2_000
    guide = found["guide.pdf"].text
    assert guide.markdown.startswith("# Depths\n\nThe depth of a tank is measured at *night*.")
    assert guide.markdown.count("measured at *night*") == guide.text.count("measured at night") == 2_000
    assert found["gone.pdf"].fate is Fate.KEPT  # the media memory knows what is gone
    with closing(LocalStore(tmp_path)) as store:
        row = store.find(None)
        index_local_crawl(store, row)
        results = search_site(SiteId(tenant=row.id.tenant, site=row.id.site), "noon", store.knowledge)
        inside = search_site(SiteId(tenant=row.id.tenant, site=row.id.site), "night", store.knowledge)
    assert results[0].passage.url.endswith("/sheet.pdf")
    assert (inside[0].passage.url[-10:], inside[0].passage.headings) == ("/guide.pdf", ("Depths",))
    assert "*night*" in inside[0].passage.markdown
    assert (done.exports / "chunks.jsonl.gz").is_file()


def test_of_two_texts_the_later_one_counts_and_an_unchanged_document_without_text_is_kept(tmp_path: Path) -> None:
    columns = [f"{name} VARCHAR" for name in ("key", "url", "title", "state", "kind", "duplicate_of")]
    kinds = {
        "a": ("fetched", "document"),
        "b": ("unchanged", "document"),
        "i": ("fetched", "image"),
        "s": ("skipped", "document"),
    }
    rows = [(key, f"https://e.example/{key}.pdf", None, *kind, None) for key, kind in kinds.items()]
    media = parquet(tmp_path / "media.parquet", columns, rows)
    texts = [
        parquet(
            tmp_path / f"00000{number}.parquet",
            ["key VARCHAR", "piece INTEGER", "markdown VARCHAR"],
            [("a", 1, "text"), ("a", 0, f"{word} ")],
        )
        for number, word in ((1, "old"), (2, "new"))
    ]
    found = list(document_texts(media, texts, crawl="c"))
    assert [(one.text.key, one.text.title, one.text.text, one.fate) for one in found] == [
        ("a", "a.pdf", "new text", Fate.TEXT),
        ("b", "b.pdf", "", Fate.KEPT),
        ("s", "s.pdf", "", Fate.KEPT),
    ]
    assert [one.text.text for one in document_texts(media, [], crawl="c")] == ["", "", ""]
