"""Office files and books that are bombs, damaged, or something else. Each ends with what could be read, or a reason."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook
from tests.adapters.media.conftest import ALL, Process
from tests.adapters.media.test_documents_by_producer import FOLDER
from tests.support.documents import epub_parts, open_document_parts, pptx_parts, zip_of

from wavecrawl.adapters.media import sheets, zip_parts
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.domain.media.asset import DocumentFacts
from wavecrawl.errors import UnusableAssetError

ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
LAUGHS = f'<!DOCTYPE x [<!ENTITY e0 "{"lol" * 100}">{ENTITIES}]>'
SECRET = '<!DOCTYPE x [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>'
TEXT = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
SHAPE = f"<p:sp><p:txBody>{TEXT}</p:txBody></p:sp>"
ODF = "<office:text><text:p>{}</text:p></office:text>"
GOOD = zip_of(open_document_parts(ODF.format("Some text")))


def xlsx_parts(sheet: str, *, before: str = "", strings: str = "") -> dict[str, str | bytes]:
    """Return the parts of a workbook with one sheet. `before`: a DTD of the sheet and the strings."""
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {"xl/workbook": "sheet.main", "xl/worksheets/sheet1": "worksheet", "xl/sharedStrings": "sharedStrings"}
    overrides = "".join(f'<Override PartName="/{a}.xml" ContentType="{types}.{b}+xml"/>' for a, b in parts.items())
    return {
        "[Content_Types].xml": f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{overrides}'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{namespace}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'{before}<sst xmlns="{namespace}">{strings}</sst>',
        "xl/worksheets/sheet1.xml": f'{before}<worksheet xmlns="{namespace}"><sheetData>{sheet}</sheetData>'
        "</worksheet>",
    }


def cell(at: str, value: str) -> str:
    return f'<row r="{at.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}"><c r="{at}" t="str"><v>{value}</v></c></row>'


BOMB = bytes(zip_parts.MAX_PART + 1)
DEEP = 50_000
HOSTILE: dict[str, Callable[[], bytes]] = {
    "entities in a slide": lambda: zip_of(
        pptx_parts({"s1": ""}) | {"ppt/slides/s1.xml": f"{LAUGHS}<x>{TEXT.format('&e9;')}</x>"}
    ),
    "entities in a text": lambda: zip_of(open_document_parts(ODF.format("&e9;"), before=LAUGHS)),
    "entities in a sheet": lambda: zip_of(xlsx_parts(cell("A1", "&e9;"), before=LAUGHS)),
    "a bomb in a slide": lambda: zip_of(pptx_parts({"s1": ""}) | {"ppt/slides/s1.xml": BOMB}),
    "a bomb in a text": lambda: zip_of(open_document_parts("") | {"content.xml": BOMB}),
    "a bomb in a sheet": lambda: zip_of(xlsx_parts("") | {"xl/worksheets/sheet1.xml": BOMB}),
    "a bomb in the strings of a book": lambda: zip_of(xlsx_parts("") | {"xl/sharedStrings.xml": BOMB}),
    "a bomb in a book": lambda: zip_of(epub_parts({"a": ""}) | {"OPS/a.xhtml": BOMB}),
    "a bomb below the limit": lambda: zip_of(open_document_parts("") | {"content.xml": bytes(30_000_000)}),
    "a deep slide": lambda: zip_of(pptx_parts({"s1": "<p:grpSp>" * DEEP + "</p:grpSp>" * DEEP})),
    "a deep text": lambda: zip_of(open_document_parts("<text:section>" * DEEP + "</text:section>" * DEEP)),
    "no slides": lambda: zip_of(pptx_parts({})),
    "no content": lambda: zip_of(open_document_parts("")),
    "no sheets": lambda: zip_of(xlsx_parts("")),
    "no chapters": lambda: zip_of(epub_parts({})),
    "a slide that is missing": lambda: zip_of(
        {name: part for name, part in pptx_parts({"s1": ""}).items() if name != "ppt/slides/s1.xml"}
    ),
    "a book without its package": lambda: zip_of(epub_parts({}) | {"META-INF/container.xml": "<container/>"}),
    "millions of cells": lambda: zip_of(xlsx_parts(cell("A1", "x") * 1_000_000)),
    "millions of groups": lambda: b"{\\rtf1" + b"{" * 5_000_000,
    "millions of control words": lambda: b"{\\rtf1" + b"\\s1" * 5_000_000,
    "magic of RTF and nothing else": lambda: b"{\\rtf",
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
    assert "crashed" not in document.problem
    assert str(tmp_path) not in document.problem
    path.write_bytes(GOOD)
    after = strict_processor.process(path, wanted=ALL).asset.document
    assert after is not None
    assert after.text == "Some text"


@pytest.mark.parametrize(
    "content",
    [
        zip_of(pptx_parts({"s1": ""}) | {"ppt/slides/s1.xml": f"{SECRET}<x>{TEXT.format('&e9;')}</x>"}),
        zip_of(open_document_parts(ODF.format("&e9;"), before=SECRET)),
        zip_of(xlsx_parts(cell("A1", "&e9;"), before=SECRET)),
        zip_of(epub_parts({"a": ""}) | {"OPS/a.xhtml": f"{SECRET}<html>&e9;</html>"}),
    ],
    ids=["a slide", "a text", "a sheet", "a book"],
)
def test_external_entities_are_not_read(process: Process, content: bytes) -> None:
    document = process(content)[0].document
    assert document is not None
    assert "root" not in document.text


def test_entities_of_a_book_are_not_expanded(process: Process) -> None:
    document = process(zip_of(epub_parts({"a": ""}) | {"OPS/a.xhtml": f"{LAUGHS}<html>&e9;</html>"}))[0].document
    assert document is not None
    assert document.text == "&e9;"


def test_a_part_that_is_too_large_is_named(process: Process) -> None:
    document = process(HOSTILE["a bomb in a text"]())[0].document
    assert document == DocumentFacts(problem="content.xml has more than 100 MiB")


def test_a_large_sheet_is_read_row_by_row(process: Process) -> None:
    row = "<row r='1'><c r='A1' t='str'><v>first</v></c></row>"
    content = zip_of(xlsx_parts(f"{row}{cell('A20000', 'far')}{' ' * zip_parts.MAX_PART}"))
    document = process(content)[0].document
    assert document is not None
    assert document.text == "S\n\nfirst"


def test_a_sheet_that_claims_a_million_rows_is_read_to_the_first_gap(process: Process) -> None:
    content = zip_of(xlsx_parts(cell("A1", "first") + cell("XFD1048576", "last")))
    document = process(content)[0].document
    assert document is not None
    assert document.text == "S\n\nfirst"
    assert document.problem == "sheet 'S': rows after 10,000 empty ones are not read"


def test_repeated_cells_and_rows_have_a_limit(process: Process) -> None:
    body = (
        "<office:spreadsheet><table:table table:name='S'>"
        "<table:table-row table:number-rows-repeated='1048576'><table:table-cell table:number-columns-repeated='2'>"
        "<text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated='16384'/>"
        "</table:table-row></table:table></office:spreadsheet>"
    )
    document = process(zip_of(open_document_parts(body, kind="spreadsheet")))[0].document
    assert document is not None
    assert document.text == "S\n\n" + "\n".join(["x\tx"] * 1_000)


def test_a_long_sheet_is_several_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_HTML", 50)
    reading = Reading(max_text=1_000)
    sheets.add_sheet(reading, "S", iter([["a", 1], ["b", 2], ["c", 3], ["d", 4]]))
    assert reading.facts() == DocumentFacts(
        text="S\n\na\t1\nb\t2\n\nc\t3\nd\t4",
        markdown="## S\n\n| a | 1 |\n| --- | --- |\n| b | 2 |\n\n|  |  |\n| --- | --- |\n| c | 3 |\n| d | 4 |",
    )


def test_a_long_table_is_cut_at_the_limit_of_text(tmp_path: Path) -> None:
    book, path = Workbook(), tmp_path / "file"
    assert book.active is not None
    for number in range(1_000):
        book.active.append([number])
    out = BytesIO()
    book.save(out)
    path.write_bytes(out.getvalue())
    processor = MediaProcessor(ProcessingLimits(max_text=20))
    document = processor.process(path, wanted=ALL).asset.document
    processor.close()
    assert document is not None
    assert document.text.startswith("Sheet\n\n0")
    assert len(document.text) <= 20
    assert document.problem == "only the first 20 characters of the text are kept"


def types(kind: str) -> dict[str, str | bytes]:
    return {"[Content_Types].xml": kind, "word/document.xml": ""}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zip_of({"ppt/presentation.xml": ""}), "a ZIP file that is no presentation"),
        (zip_of({"[Content_Types].xml": "x", "xl/workbook.xml": ""}), "a ZIP file that is no workbook"),
        (GOOD[:90], "a ZIP file that is no OpenDocument file"),
        (zip_of(epub_parts({}))[:60], "a ZIP file that is no EPUB book"),
        (zip_of(types("presentationml.presentation.main+xml")), "a ZIP file that is no Word document"),
    ],
)
def test_a_zip_file_that_is_no_document_is_refused(process: Process, content: bytes, said: str) -> None:
    with pytest.raises(UnusableAssetError, match=said):
        process(content)


def test_a_document_inside_another_does_not_decide_the_format(process: Process) -> None:
    """Office programs embed workbooks in presentations and texts."""
    inner = zip_of(xlsx_parts(cell("A1", "inside")))
    parts = pptx_parts({"s1": SHAPE.format("outside")}) | {"ppt/embeddings/book.xlsx": inner}
    asset, _ = process(zip_of(parts))
    assert asset.extension == "pptx"
    assert asset.document is not None
    assert asset.document.text == "outside"
    word = (FOLDER / "pandoc.docx").read_bytes()
    assert process(zip_of(xlsx_parts(cell("A1", "x")) | {"xl/embeddings/a.docx": word}))[0].extension == "xlsx"


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "9" * 5_000])
def test_slides_with_numbers_that_are_none_are_read(process: Process, number: str) -> None:
    item = f'<a:p><a:pPr lvl="{number}"/><a:r><a:t>item</a:t></a:r></a:p>'
    cell = f'<a:tc gridSpan="{number}" rowSpan="{number}"><a:txBody>{TEXT.format("cell")}</a:txBody></a:tc>'
    slide = (
        f"<p:sp><p:nvSpPr><p:nvPr><p:ph/></p:nvPr></p:nvSpPr><p:txBody>{2 * item}</p:txBody></p:sp>"
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>{cell}</a:tr></a:tbl></a:graphicData></a:graphic>"
        "</p:graphicFrame>"
    )
    document = process(zip_of(pptx_parts({"s1": slide})))[0].document
    assert document is not None
    assert (document.problem, document.text.split()) == ("", ["item", "item", "cell"])


def test_an_encrypted_open_document_is_a_problem(process: Process) -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry><m:encryption-data/>'
        "</m:file-entry></m:manifest>"
    )
    parts = open_document_parts(ODF.format("x")) | {"META-INF/manifest.xml": manifest, "content.xml": b"\xff\xfe"}
    document = process(zip_of(parts))[0].document
    assert document == DocumentFacts(problem="encrypted with a password")


OLD = {"WordDocument": ("msword", "doc", ".docx"), "Workbook": ("vnd.ms-excel", "xls", ".xlsx"),
       "PowerPoint Document": ("vnd.ms-powerpoint", "ppt", ".pptx")}  # fmt: skip


@pytest.mark.parametrize("stream", OLD)
def test_formats_before_2007_are_stored_with_a_reason(process: Process, stream: str) -> None:
    asset, _ = process(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000) + stream.encode("utf-16-le"))
    media_type, old, new = OLD[stream]
    assert (asset.media_type, asset.extension) == (f"application/{media_type}", old)
    assert asset.document == DocumentFacts(
        problem=f"the text of .{old} files is not read; save the document as {new} or PDF"
    )
