"""PDF, office and e-book files for tests, written byte by byte, so that each part can be wrong."""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def stream(content: bytes, more: bytes = b"") -> bytes:
    """Return a stream object."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), more, content)


def shows(text: str) -> bytes:
    """Return a page's content."""
    return stream(b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text.encode("latin-1"))


def pdf_of(objects: Mapping[int, bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """Return a PDF file with these objects and their cross-reference table."""
    out = bytearray(b"%PDF-1.7\n")
    at = {}
    for number, body in objects.items():
        at[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % at[number] if number in at else b"0000000000 65535 f \n"
    return bytes(out) + b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)


def pdf_with(texts: Sequence[str], title: str = "") -> bytes:
    """Return a PDF file with one text per page."""
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(len(texts)))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(texts), kids),
        3: FONT,
        4: b"<< /Title (%s) /Author (A. Writer) >>" % title.encode("latin-1"),
    }
    for number, text in enumerate(texts):
        objects[5 + 2 * number] = page(6 + 2 * number)
        objects[6 + 2 * number] = shows(text)
    return pdf_of(objects, b"/Root 1 0 R /Info 4 0 R")


def page(contents: int, parent: int = 2) -> bytes:
    """Return a page object."""
    return (
        b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>" % (parent, contents)
    )


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP file."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, content in parts.items():
            file.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()


def docx_parts(body: str, *, main_type: str = MAIN_TYPE, before: str = "") -> dict[str, str | bytes]:
    """Return the parts of a DOCX file. `before`: what precedes the root of its text, such as a DTD."""
    return {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}" '
        'Target="word/document.xml"/></Relationships>',
        "docProps/core.xml": '<p:coreProperties xmlns:p="http://schemas.openxmlformats.org/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A title</dc:title>'
        "<dc:creator>A. Writer</dc:creator></p:coreProperties>",
        "word/document.xml": f'{before}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }


def paragraph(text: str) -> str:
    """Return a paragraph of Word."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pptx_parts(slides: Mapping[str, str]) -> dict[str, str | bytes]:
    """Return the parts of a PPTX file. `slides`: shapes by the names of slides, in the order of the presentation."""
    names = {
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    }
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in names.items())
    listed = "".join(f'<p:sldId id="{256 + at}" r:id="r{at}"/>' for at in range(len(slides)))
    relations = "".join(
        f'<Relationship Id="r{at}" Type="{names["r"]}/slide" Target="slides/{name}.xml"/>'
        for at, name in enumerate(slides)
    )
    return {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
        'PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'presentationml.presentation.main+xml"/></Types>',
        "ppt/presentation.xml": f"<p:presentation {declared}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>',
        **{
            f"ppt/slides/{name}.xml": f"<p:sld {declared}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
            for name, shapes in slides.items()
        },
    }


def open_document_parts(body: str, *, kind: str = "text", before: str = "") -> dict[str, str | bytes]:
    """Return the parts of an OpenDocument file. `before`: what precedes the root of its content, such as a DTD."""
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
    )
    return {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"{before}<office:document-content {names}><office:body>{body}</office:body>"
        "</office:document-content>",
        "meta.xml": f'<office:document-meta {names} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        "<dc:title>A title</dc:title></office:meta></office:document-meta>",
    }


def epub_parts(chapters: Mapping[str, str], *, before: str = "") -> dict[str, str | bytes]:
    """Return the parts of a book. `chapters`: content by name; "nav" is the table of contents."""
    properties = {"nav": ' properties="nav"'}
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"{properties.get(name, "")}/>'
        for name in sorted(chapters)
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": f'{before}<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A title</dc:title><dc:creator>A. Writer</dc:creator>'
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
        **{
            f"OPS/{name}.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body>'
            "</html>"
            for name, body in chapters.items()
        },
    }
