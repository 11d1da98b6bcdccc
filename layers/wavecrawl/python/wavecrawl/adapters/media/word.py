"""DOCX files, by mammoth."""

import mammoth

from wavecrawl.adapters.media.document_html import markdown_of
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.adapters.media.zip_parts import read_properties, zip_parts

_TYPES = "[Content_Types].xml"
_MAIN = b"wordprocessingml.document.main+xml"  # of ISO 29500-1 section 11.3.10; templates and macros have others
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
"""
_NO_IMAGE = mammoth.images.img_element(lambda _: {})  # the default would copy it into the HTML


def read_docx(path: str, reading: Reading) -> None:
    """Read a DOCX file. Raise UnusableAssetError for other ZIP files."""
    with zip_parts(path, needed=_TYPES, contains=(_MAIN,), what="Word document") as parts:
        read_properties(parts.xml_or_none("docProps/core.xml"), reading)
        with open(path, "rb") as file:  # noqa: PTH123 - mammoth needs the file
            html = mammoth.convert_to_html(file, convert_image=_NO_IMAGE, style_map=_STYLES).value
        reading.add_markdown(markdown_of(html))
