"""What a site sends never becomes a formula in the CSV files: spreadsheets would run it (OWASP, CSV injection)."""

import csv
from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, crawl_inline
from tests.support.fake_media import MemoryAssets
from tests.support.media_site import HTML, MediaSite, png

from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

FORMULA = "=hyperlink(1)"
HIDDEN = "\ufeff\uff1d\x9b2Jhyperlink(1)"  # behind a byte order mark, full-width, with a command to a terminal
PAGE = f"""<!doctype html><html lang='{FORMULA}'><title>{FORMULA}</title><meta name=description content='{FORMULA}'>
<meta name=keywords content='{FORMULA}'><meta name=robots content='{FORMULA}'><a href=/data>{FORMULA}</a>
<img src=/a.png>"""
ALONE = PAGE.replace(FORMULA, HIDDEN)
SITEMAP = "<urlset><url><loc>{origin}/alone</loc><lastmod>" + FORMULA + "</lastmod></url></urlset>"


def test_no_cell_begins_as_a_formula(tmp_path: Path) -> None:
    with MediaSite({"/": (HTML, PAGE.encode()), "/alone": (HTML, ALONE.encode()), "/data": (FORMULA, b"1")}) as site:
        site.content["/a.png"] = (FORMULA, png(1)[1])
        site.content["/sitemap.xml"] = ("application/xml", SITEMAP.format(origin=site.url.rstrip("/")).encode())
        settings = replace(ALL_FILES, media=MediaSettings(include=tuple(MediaGroup)))
        done = crawl_inline(site.url, tmp_path, settings, assets=MemoryAssets())
    files = sorted(done.exports.glob("*.csv"))
    cells = [
        (path.name, cell)
        for path in files
        for row in csv.reader(path.read_text("utf-8-sig").splitlines())
        for cell in row
    ]
    assert {name for name, cell in cells if "hyperlink(1)" in cell} >= {"pages.csv", "media.csv", "orphans.csv"}
    formulas = ("=", "+", "@", "\t", "\r", "\ufeff", "\uff1d")
    assert [(name, cell) for name, cell in cells if cell.startswith(formulas)] == []
    assert any("\uff1d" in cell for _, cell in cells)
    assert [(name, cell) for name, cell in cells if "\x9b" in cell] == []
