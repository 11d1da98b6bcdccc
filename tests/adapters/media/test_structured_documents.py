"""Headings, lists, tables and links of documents, as Markdown. Its words are those of the text."""

from io import BytesIO

import pytest
from openpyxl import Workbook
from tests.adapters.media.conftest import Process
from tests.adapters.media.test_documents_by_producer import FOLDER
from tests.support.documents import (
    docx_parts,
    epub_parts,
    open_document_parts,
    page,
    paragraph,
    pdf_of,
    pptx_parts,
    stream,
    zip_of,
)

from wavecrawl.domain.media.asset import DocumentFacts
from wavecrawl.domain.pages.plain_text import plain_text

TABLE = "| Gate | Depth |\n| --- | --- |\n| North | 12 m |\n| South | 9 m |"
HEADLESS = "|  |  |\n| --- | --- |\n| Gate | Depth |\n| North | 12 m |\n| South | 9 m |"
STRUCTURE = """## Gates

- North
  - Depth 12 m
- South

1. Page two lists the fees.
2. A night at the quay costs 25 crowns.

## Fees

| Ship | Crowns |
| --- | --- |
| Cutter | 25 |
| Barge | 40 |

More at [the office](https://example.com/office)"""
WITHOUT_HEAD = STRUCTURE.replace("| Ship | Crowns |\n| --- | --- |", "|  |  |\n| --- | --- |\n| Ship | Crowns |")
OF_SLIDES = STRUCTURE.replace("## ", "")  # pandoc writes headings below those of slides as paragraphs
SLIDE_WITH_LIST = """- The harbour has seven gates, and each gate opens at high tide.
  - Ships of up to 140 metres may enter; longer ones wait outside."""
FOUND = {
    "pandoc-structured.docx": STRUCTURE,
    "pandoc.odt": STRUCTURE,
    "pandoc.epub": STRUCTURE,
    "pandoc.rtf": WITHOUT_HEAD,
    "pandoc.pptx": OF_SLIDES,
    "python-pptx.pptx": f"## Depths\n\n{TABLE}\n\nA night at the quay costs 25 crowns.\n\n> Page two lists the fees.",
    "xlsxwriter.xlsx": f"## Gates\n\n{TABLE}\n\n## Fees\n\n| Ship | Crowns | Since |\n| --- | --- | --- |\n"
    "| Cutter | 25 | 2026-01-31 |\n| Barge | 40.5 |  |\n|  | 65.5 |  |",
    "odfdo.ods": f"## Gates\n\n{TABLE}",
    "odfdo.odp": "## How the harbour works\n\n- The harbour has seven gates, and each gate opens at high tide.\n",
    "libreoffice.docx": HEADLESS,
    "libreoffice-pdfa.pdf": HEADLESS,  # a tagged file
    "chromium.pdf": "# How the harbour works\n\nThe harbour has seven gates",
}


def facts(process: Process, content: bytes) -> DocumentFacts:
    asset, stored = process(content)
    assert stored == content
    assert asset.document is not None
    return asset.document


@pytest.mark.parametrize("name", FOUND)
def test_the_structure_of_a_document_is_found(process: Process, name: str) -> None:
    document = facts(process, (FOLDER / name).read_bytes())
    assert FOUND[name] in document.markdown
    assert document.text == plain_text(document.markdown)
    assert document.problem == ""


def test_slides_have_their_titles_first_and_lists_inside_lists(process: Process) -> None:
    document = facts(process, (FOLDER / "python-pptx.pptx").read_bytes())
    assert document.markdown.startswith(f"## How the harbour works\n\n{SLIDE_WITH_LIST}")
    assert document.pages == 2


SHAPE = "<p:sp><p:nvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>"


def shape(kind: str, *paragraphs: str) -> str:
    return SHAPE.format(kind, "".join(f"<a:p>{one}</a:p>" for one in paragraphs))


def test_slides_are_read_in_the_order_of_the_presentation(process: Process) -> None:
    slides = {
        "slide7": shape("<p:ph type='title'/>", "<a:r><a:t>First</a:t></a:r>")
        + shape("<p:ph type='sldNum'/>", "<a:fld><a:t>1</a:t></a:fld>"),
        "slide3": shape("", "<a:r><a:t>Second</a:t></a:r><a:br/><a:r><a:t>&lt;line&gt;</a:t></a:r>"),
    }
    document = facts(process, zip_of(pptx_parts(slides)))
    assert (document.markdown, document.pages) == ("## First\n\nSecond\\\n\\<line>", 2)


def test_a_slide_that_cannot_be_read_is_left_out(process: Process) -> None:
    parts = pptx_parts({"slide1": shape("", "<a:r><a:t>One</a:t></a:r>"), "slide2": "<p:sp>"})
    document = facts(process, zip_of(parts))
    assert (document.text, document.problem) == ("One", "slide 2 cannot be read")


def workbook(rows: list[list[object]]) -> bytes:
    book, out = Workbook(), BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    book.save(out)
    return out.getvalue()


def test_values_of_cells_are_shown_as_in_the_sheet(process: Process) -> None:
    document = facts(process, workbook([["a|b", "<i>", None], [], [1.0, 0.1 + 0.2, True]]))
    assert document.markdown == "## Sheet\n\n| a\\|b | \\<i> |  |\n| --- | --- | --- |\n| 1 | 0.3 | True |"


def test_an_open_document_has_notes_spaces_and_code(process: Process) -> None:
    body = (
        "<office:text><text:h text:outline-level='2'>Head</text:h><text:p>One<text:s text:c='2'/>two<text:tab/>three"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>aside</text:p></text:note-body>"
        "</text:note>.<office:annotation><text:p>comment</text:p></office:annotation></text:p>"
        "<text:p text:style-name='Preformatted_20_Text'>if x:<text:line-break/><text:s text:c='4'/>y</text:p>"
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes></office:text>"
    )
    document = facts(process, zip_of(open_document_parts(body)))
    assert document.markdown == "## Head\n\nOne two three (aside).\n\n```\nif x:\n    y\n```"
    assert document.title == "A title"


def test_cells_of_an_open_document_span_others(process: Process) -> None:
    body = (
        "<office:text><table:table><table:table-header-rows><table:table-row>"
        "<table:table-cell table:number-columns-spanned='2'><text:p>Both</text:p></table:table-cell>"
        "<table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row>"
        "<table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>"
        "</table:table-row></table:table></office:text>"
    )
    found = facts(process, zip_of(open_document_parts(body))).markdown
    assert found == "| Both |  |\n| --- | --- |\n| a | b |"


def test_a_book_has_its_chapters_in_their_order(process: Process) -> None:
    chapters = {"b": "<h1>First</h1><p>One<br/>two</p>", "a": "<h1>Second</h1>", "nav": "<h1>Contents</h1>"}
    document = facts(process, zip_of(epub_parts(chapters)))
    assert document == DocumentFacts(
        title="A title",
        author="A. Writer",
        text="First\n\nOne\ntwo\n\nSecond",
        markdown="# First\n\nOne\\\ntwo\n\n# Second",
    )


def test_encrypted_chapters_are_a_problem(process: Process) -> None:
    locked = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        '<e:EncryptedData><e:CipherData><e:CipherReference URI="OPS/a.xhtml"/></e:CipherData></e:EncryptedData>'
        "</encryption>"
    )
    parts = epub_parts({"a": "<p>One</p>", "b": "<p>Two</p>"}) | {"META-INF/encryption.xml": locked}
    document = facts(process, zip_of(parts))
    assert (document.text, document.problem) == ("Two", "OPS/a.xhtml is encrypted")


RTF = (
    r"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Gothic;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\sbasedon0\snext0 heading 1;}}{\info{\title A {\b title}}{\author A. Writer}}"
    r"{\header Top}\pard\s1 Head\par\pard\f0 \'b9 {\f1 \'cc\'e8\'f0} {\f2\'83\'65} \u-10179?\u-8704? \{x\}\line y\par"
    r"{\listtext\'B7\tab}\pard\ilvl0 One\par{\listtext o\tab}\pard\ilvl1 Inner\par{\listtext 1.\tab}\pard\ilvl0 Two\par"
    r"\trowd\pard\intbl a\cell b\par c\cell\row\trowd\intbl d\cell e\cell\row\pard"
    r'{\field{\*\fldinst HYPERLINK "https://example.com/?a=1&b=2"}{\fldrslt a link}}{\*\unknown no}\par}'
)


def test_an_rtf_file_has_its_structure_and_characters(process: Process) -> None:
    document = facts(process, RTF.encode("latin-1"))
    assert document.markdown == (
        "# Head\n\n\u0105 \u041c\u0438\u0440 \u30c6 \U0001f600 {x}\\\ny\n\n- One\n  - Inner\n\n1. Two\n\n"
        "|  |  |\n| --- | --- |\n| a | b<br>c |\n| d | e |\n\n[a link](https://example.com/?a=1&b=2)"
    )
    assert (document.title, document.author) == ("A title", "A. Writer")


def test_hidden_and_deleted_text_of_an_rtf_file_is_left_out(process: Process) -> None:
    source = r"{\rtf1 One{\v  hidden} two{\deleted  gone} \v x\v0 three \v y\plain  four}"
    document = process(source.encode())[0].document
    assert document is not None
    assert document.text == "One two three four"


@pytest.mark.parametrize("broken", [r"{\rtf1 One", r"{\rtf1 One}}}} ", "{\\rtf1 One\\", r"{\rtf1\bin99999 x} One"])
def test_a_damaged_rtf_file_is_read_as_far_as_possible(process: Process, broken: str) -> None:
    document = facts(process, broken.encode())
    assert (document.text or document.problem) in ("One", "there is no text")


def tagged(tree: str, content: str) -> bytes:
    """Return a PDF file of one page with a structure tree, given as objects from number 10 on."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 10 0 R /MarkInfo << /Marked true >> >>",
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: page(6),
        6: stream(content.encode()),
    }
    return pdf_of(objects | {10 + at: line.encode() for at, line in enumerate(tree.splitlines())})


def marked(*texts: str) -> str:
    return "\n".join(
        f"/P << /MCID {at} >> BDC BT /F1 12 Tf 72 {720 - 20 * at} Td ({text}) Tj ET EMC"
        for at, text in enumerate(texts)
    )


TREE = """<< /Type /StructTreeRoot /K 11 0 R /RoleMap << /Chapter /H1 >> >>
<< /S /Document /Pg 5 0 R /K [12 0 R 13 0 R 17 0 R] >>
<< /S /Chapter /P 11 0 R /Pg 5 0 R /K 0 >>
<< /S /L /Pg 5 0 R /K [14 0 R] >>
<< /S /LI /Pg 5 0 R /K [15 0 R 16 0 R] >>
<< /S /Lbl /Pg 5 0 R /K 1 >>
<< /S /LBody /Pg 5 0 R /K 2 >>
<< /S /P /Pg 5 0 R /K 18 0 R >>
<< /S /Link /Pg 5 0 R /K [3 << /Type /OBJR /Obj 19 0 R >>] >>
<< /Type /Annot /Subtype /Link /A << /S /URI /URI (https://example.com/) >> >>"""


def test_a_tagged_pdf_file_keeps_its_structure(process: Process) -> None:
    artifact = "\n/Artifact BMC BT /F1 12 Tf 72 20 Td (7) Tj ET EMC"
    document = facts(process, tagged(TREE, marked("Head", "1.", "An item", "A link") + artifact))
    assert document.markdown == "# Head\n\n1. An item\n\n[A link](https://example.com/)"
    assert document.text == "Head\n\nAn item\n\nA link"


LOOP = "<< /Type /StructTreeRoot /K 11 0 R >>\n<< /S /P /Pg 5 0 R /K [0 11 0 R 11 0 R] >>"


@pytest.mark.parametrize(
    "tree",
    [TREE.replace("/K 0", "/K 9"), TREE.replace("/K 11 0 R", "/K (x)"), TREE.replace("/Pg 5 0 R", "/Pg 9"), LOOP],
)
def test_a_tree_that_lacks_text_is_not_believed(process: Process, tree: str) -> None:
    document = facts(process, tagged(tree, marked("A long heading", "x", "y", "z")))
    assert (document.text, document.markdown) == ("A long heading\nx\ny\nz", "")


def test_text_without_structure_has_no_markdown(process: Process) -> None:
    assert facts(process, zip_of(docx_parts(paragraph("Text")))).markdown == ""
