"""A WACZ package as it is read for the comparison."""

import gzip
import zipfile
from pathlib import Path

import pytest
from tests.support.small_wacz import TIME, Archived, write_wacz

from wavecrawl.adapters.replay.page_text import page_text
from wavecrawl.adapters.wacz.reader import ArchivedPage, WaczReader
from wavecrawl.errors import CorruptDataError, InvalidInputError, NotFoundError

URL = "http://site.example/"


def _page(url: str = URL) -> ArchivedPage:
    return ArchivedPage(url=url, title="", time=TIME)


def test_the_pages_and_what_the_crawl_saw_of_them_are_read(tmp_path: Path) -> None:
    one = Archived(url=URL, body=b"<p>one", is_page=True, screenshot=b"JPEG")
    two = Archived(url=f"{URL}two", body=b"<div id=app></div>", is_page=True, rendered="<p>r\u00e9ndered")
    style = Archived(url=f"{URL}style.css", body=b"p { color: red }", kind="text/css")
    with WaczReader(write_wacz(tmp_path / "a.wacz", [one, two, style])) as reader:
        pages = reader.pages()
        shot = reader.screenshot(pages[0])
        assert pages == [_page(), _page(f"{URL}two")]
        assert shot is not None
        assert (shot.image, shot.is_whole) == (b"JPEG", False)
        assert reader.screenshot(pages[1]) is None
        assert [reader.html(page) for page in pages] == ["<p>one", "<p>r\u00e9ndered"]
        assert [reader.has(page) for page in (*pages, _page(f"{URL}none"))] == [True, True, False]
        assert reader.html(_page(f"{URL}none")) is None


def test_a_response_is_read_without_its_codings(tmp_path: Path) -> None:
    body = gzip.compress("<p>gr\u00fcn".encode("iso-8859-1"))
    headers = (("Content-Encoding", "gzip"),)
    page = Archived(url=URL, body=body, kind="text/html; charset=iso-8859-1", headers=headers, is_page=True)
    with WaczReader(write_wacz(tmp_path / "a.wacz", [page])) as reader:
        assert reader.html(_page()) == "<p>gr\u00fcn"


def test_a_screenshot_of_a_whole_page_is_known_as_such(tmp_path: Path) -> None:
    page = Archived(url=URL, body=b"<p>one", is_page=True, screenshot=b"JPEG")
    with WaczReader(write_wacz(tmp_path / "a.wacz", [page], is_whole=True)) as reader:
        shot = reader.screenshot(_page())
    assert shot is not None
    assert shot.is_whole


def test_files_that_are_no_packages_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.wacz").write_text("no zip file", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "other.wacz", "w") as other:
        other.writestr("file.txt", "")
    with pytest.raises(NotFoundError, match=r"none\.wacz does not exist"):
        WaczReader(tmp_path / "none.wacz")
    with pytest.raises(InvalidInputError, match=r"text\.wacz is not a WACZ package that can be read"):
        WaczReader(tmp_path / "text.wacz")
    with pytest.raises(InvalidInputError, match=r"other\.wacz is not a WACZ package: it has no list of pages"):
        WaczReader(tmp_path / "other.wacz")


def test_a_damaged_package_is_named(tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "a.wacz", [Archived(url=URL, body=b"<p>one", is_page=True)])
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)  # in the first record
    path.write_bytes(data)
    with WaczReader(path) as reader, pytest.raises(CorruptDataError, match=r"a\.wacz|data\.warc\.gz"):
        reader.html(_page())


def test_the_text_is_that_of_the_whole_page_without_frames_and_scripts() -> None:
    html = """<title>not</title><body><nav>Menu</nav><script>not</script><style>not</style>
    <p>One <b>two</b></p>
    <div data-frame="http://site.example/frame">not</div><iframe>not</iframe><noscript>not</noscript>end"""
    assert page_text(html) == "Menu One two end"
    assert page_text("") == ""
