"""Documents that are damaged, encrypted, endless, huge, or something else. Each ends with what could be read."""

import signal
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pypdf import PageObject, PdfReader, PdfWriter
from tests.adapters.media.conftest import ALL, Process
from tests.support.documents import (
    FONT,
    docx_parts,
    page,
    paragraph,
    pdf_of,
    pdf_with,
    shows,
    stream,
    zip_of,
)

from wavecrawl.adapters.media import child
from wavecrawl.adapters.media.formats import PDF
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.messages import Job, Reply
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.domain.media.asset import DocumentFacts
from wavecrawl.errors import UnusableAssetError

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>"


def facts(process: Process, content: bytes) -> DocumentFacts:
    asset, stored = process(content)
    assert stored == content
    assert asset.document is not None
    return asset.document


def test_a_pdf_file_is_read(process: Process) -> None:
    found = facts(process, pdf_with(["First page", "Second page"], title="A title"))
    expected = DocumentFacts(title="A title", author="A. Writer", pages=2, text="First page\n\nSecond page")
    assert found == expected


def test_a_docx_file_is_read(process: Process) -> None:
    found = facts(process, zip_of(docx_parts(paragraph("First") + paragraph("Second"))))
    assert found == DocumentFacts(title="A title", author="A. Writer", text="First\n\nSecond")


def test_pages_without_text_are_a_problem(process: Process) -> None:
    """Scanned pages are images."""
    assert facts(process, pdf_with(["", ""])).problem == "there is no text; the pages may be images"


def encrypted(algorithm: str, user: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf_with(["Hidden text"], title="A title"))))
    writer.encrypt(user, "owner", algorithm=algorithm)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
def test_an_encrypted_file_is_read_if_its_password_is_empty(process: Process, algorithm: str) -> None:
    found = facts(process, encrypted(algorithm, ""))
    assert (found.title, found.text, found.problem) == ("A title", "Hidden text", "")
    found = facts(process, encrypted(algorithm, "secret"))
    assert (found.text, found.problem) == ("", "encrypted with a password")


GOOD = pdf_with(["Some text"])


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(b"startxref\n", b"startxref\n9"),
        b"junk before\n" + GOOD,
        GOOD + b"\n<html>junk after</html>" + bytes(2_000),
    ],
    ids=["wrong startxref", "junk before", "junk after"],
)
def test_a_broken_cross_reference_table_is_repaired(process: Process, content: bytes) -> None:
    assert facts(process, content).text == "Some text"


def looping_tree() -> bytes:
    return pdf_of({1: CATALOG, 2: b"<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >>", 3: FONT})


def looping_parents() -> bytes:
    return pdf_of({1: CATALOG, 2: b"<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [5 0 R] >>", 3: FONT,
                   5: b"<< /Type /Page /Parent 2 0 R /Contents 6 0 R >>", 6: shows("Some text")})  # fmt: skip


def deep_tree() -> bytes:
    objects = {1: CATALOG, 3: FONT}
    for number in range(10, 5_010):
        objects[number] = b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % (number + 1)
    return pdf_of(objects | {2: objects[10], 5_010: page(5_011), 5_011: shows("Some text")})


def looping_form() -> bytes:
    """A drawing that draws itself."""
    form = stream(b"/X Do /X Do", b"/Type /XObject /Subtype /Form /Resources << /XObject << /X 7 0 R >> >>")
    resources = b"<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /XObject << /X 7 0 R >> >> >>"
    return pdf_of({1: CATALOG, 2: ONE_PAGE, 3: FONT, 5: resources, 6: stream(b"/X Do"), 7: form})


def looping_reference() -> bytes:
    return pdf_of({1: CATALOG, 2: ONE_PAGE, 3: FONT, 5: page(6), 6: b"7 0 R", 7: b"6 0 R"})


def looping_previous() -> bytes:
    """A cross-reference table whose predecessor is itself."""
    content = pdf_with(["Some text"])
    start = content.index(b"xref\n")
    return content.replace(b"/Info 4 0 R", b"/Prev %010d" % start)


def looping_outline() -> bytes:
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R >>", 2: ONE_PAGE, 3: FONT, 5: page(6),
               6: shows("Some text"), 8: b"<< /First 9 0 R /Last 9 0 R >>",
               9: b"<< /Title (x) /Next 9 0 R /First 8 0 R >>"}  # fmt: skip
    return pdf_of(objects)


def looping_object_streams() -> bytes:
    """An object stream that extends itself, and a length inside itself."""
    inner = b"1 0 << /Type /Catalog /Pages 2 0 R >>"
    return pdf_of({2: ONE_PAGE, 3: FONT, 5: page(6), 6: b"<< /Length 6 0 R >>\nstream\nx\nendstream",
                   8: stream(inner, b"/Type /ObjStm /N 1 /First 4 /Extends 8 0 R")}, b"/Root 1 0 R")  # fmt: skip


def bomb(size: int, filters: bytes, times: int) -> bytes:
    content = bytes(size)
    for _ in range(times):
        content = zlib.compress(content, 1)
    return pdf_of({1: CATALOG, 2: ONE_PAGE, 3: FONT, 5: page(6), 6: stream(content, b"/Filter " + filters)})


def many_operators() -> bytes:
    content = zlib.compress(b"BT /F1 12 Tf (x) Tj ET\n" * 600_000, 1)
    return pdf_of({1: CATALOG, 2: ONE_PAGE, 3: FONT, 5: page(6), 6: stream(content, b"/Filter /FlateDecode")})


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    dtd = f'<!DOCTYPE x [<!ENTITY e0 "{"lol" * 100}">{entities}]>'
    return zip_of(docx_parts(paragraph("&e9;"), before=dtd))


def external_entity() -> bytes:
    dtd = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    return zip_of(docx_parts(paragraph("&file;"), before=dtd))


def zip_bomb(size: int) -> bytes:
    return zip_of(docx_parts("") | {"word/document.xml": bytes(size)})


def deep_xml() -> bytes:
    return zip_of(docx_parts("<w:sdt><w:sdtContent>" * 50_000 + "</w:sdtContent></w:sdt>" * 50_000))


def lying_size() -> bytes:
    """A ZIP file that declares a small part, which is large."""
    content = bytearray(zip_of(docx_parts("") | {"word/document.xml": bytes(20_000_000)}))
    for magic, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = content.rindex(magic) + offset
        content[at : at + 4] = (1_000).to_bytes(4, "little")
    return bytes(content)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "no table of objects": lambda: GOOD.replace(b"xref\n0", b"xxxx\n0"),
    "the first half of a file": lambda: GOOD[: len(GOOD) // 2],
    "a looping page tree": looping_tree,
    "looping parents": looping_parents,
    "a deep page tree": deep_tree,
    "a drawing that draws itself": looping_form,
    "a reference to itself": looping_reference,
    "looping object streams": looping_object_streams,
    "a bomb in a page": lambda: bomb(80_000_000, b"/FlateDecode", 1),
    "a bomb in a bomb": lambda: bomb(80_000_000, b"[/FlateDecode /FlateDecode]", 2),
    "a page of millions of operators": many_operators,
    "XML entities": billion_laughs,
    "a ZIP bomb": lambda: zip_bomb(110_000_000),
    "a ZIP bomb below the limit": lambda: zip_bomb(30_000_000),
    "a part with a false size": lying_size,
    "deep XML": deep_xml,
    "no pages": lambda: pdf_of({1: b"<< /Type /Catalog >>"}),
    "magic and nothing else": lambda: b"%PDF-1.7",
    "magic and noise": lambda: b"%PDF-1.7\n" + bytes(range(256)) * 400,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_stored_with_its_problem(
    strict_processor: MediaProcessor, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(HOSTILE[name]())
    document = strict_processor.process(path, wanted=ALL).asset.document
    assert document is not None
    assert document.problem
    assert str(tmp_path) not in document.problem
    if name == "a page of millions of operators":
        assert document.problem == "reading took longer than 0.5 s"
    path.write_bytes(GOOD)
    after = strict_processor.process(path, wanted=ALL).asset.document
    assert after is not None
    assert after.text == "Some text"


def test_external_entities_are_not_read(process: Process) -> None:
    assert facts(process, external_entity()).text == ""


@pytest.mark.parametrize("make", [looping_previous, looping_outline])
def test_loops_that_do_not_matter_lose_no_text(process: Process, make: Callable[[], bytes]) -> None:
    assert facts(process, make()).text == "Some text"


@pytest.fixture
def _handlers() -> Iterator[None]:
    """Restore the handlers of the signals that a child process sets."""
    before = {number: signal.getsignal(number) for number in (signal.SIGPROF, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_handlers")
def test_what_was_read_before_the_time_was_up_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is up inside the second page: its text is read, and the timer sends its signal."""
    real = PageObject.extract_text

    def extracted(read: PageObject, **how: Any) -> str:
        text = real(read, **how)
        if text == "Second page":
            signal.raise_signal(signal.SIGPROF)
        return text

    monkeypatch.setattr(PageObject, "extract_text", extracted)
    monkeypatch.setattr(child, "_bound_memory", lambda _: None)  # of the process of the tests
    path, out = tmp_path / "file", BytesIO()
    path.write_bytes(pdf_with(["First page", "Second page", "Third page"]))
    limits = ProcessingLimits(seconds=3_600)
    job = Job(path=str(path), made=str(tmp_path / "made"), format=PDF, limits=limits)
    child.main(BytesIO(msgspec.json.encode(job) + b"\n"), out)
    reply = msgspec.json.decode(out.getvalue(), type=Reply)
    assert reply == Reply(
        document=DocumentFacts(
            title="", author="A. Writer", pages=3, text="First page", problem="reading took longer than 3600 s"
        )
    )
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_document_of_many_pages_is_read_up_to_the_limit_of_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(pdf_with([f"Page {number}" for number in range(10_000)]))
    processor = MediaProcessor(ProcessingLimits(max_text=12))
    document = processor.process(path, wanted=ALL).asset.document
    processor.close()
    assert document is not None
    assert (document.pages, document.text) == (10_000, "Page 0\n\nPage 1")
    assert document.problem == "only the first 12 characters of the text are kept"


def test_the_text_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    processor = MediaProcessor(ProcessingLimits(max_text=12))
    found = []
    try:
        for content in (pdf_with(["First page", "Second"]), zip_of(docx_parts(paragraph("x" * 99)))):
            path.write_bytes(content)
            found.append(processor.process(path, wanted=ALL).asset.document)
    finally:
        processor.close()
    problem = "only the first 12 characters of the text are kept"
    assert [(document.text, document.problem) for document in found if document] == [
        ("First page\n\nSe", problem),
        ("x" * 12, problem),
    ]


def test_a_broken_page_is_left_out(process: Process) -> None:
    content = pdf_with(["One", "Two", "Three"]).replace(b"/Contents 8 0 R", b"/Contents (x) ")
    found = facts(process, content)
    assert found.text == "One\n\nThree"
    assert found.pages == 3


@pytest.mark.parametrize(
    "content",
    [
        zip_of({"a.txt": "x"}),
        zip_of(docx_parts("", main_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")),
        b"PK\3\4" + bytes(100),
        GOOD.replace(b"%PDF-1.7", b"PK\3\4    "),
    ],
    ids=["an archive", "a spreadsheet", "no archive", "a PDF file that begins as an archive"],
)
def test_an_archive_that_is_no_word_document_is_refused(process: Process, content: bytes) -> None:
    with pytest.raises(UnusableAssetError, match="a ZIP file that is no Word document"):
        process(content)


def test_a_pdf_file_that_is_an_archive_too_is_a_pdf_file(process: Process) -> None:
    asset, _ = process(GOOD + zip_of(docx_parts(paragraph("x"))))
    assert (asset.media_type, asset.extension) == ("application/pdf", "pdf")


def test_other_compound_files_are_refused(process: Process) -> None:
    with pytest.raises(UnusableAssetError, match="no image, video or document"):
        process(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000) + "Contents".encode("utf-16-le"))
