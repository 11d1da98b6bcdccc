"""EPUB books: the chapters in their order (EPUB 3.3)."""

import zipfile
from posixpath import dirname

from wavecrawl.adapters.media.document_html import MOST_HTML, markdown_of
from wavecrawl.adapters.media.reading import Reading
from wavecrawl.adapters.media.zip_parts import ZipParts, part_name, read_properties, zip_parts
from wavecrawl.domain.pages.charset import decode_html

_CONTAINER = "META-INF/container.xml"
_PACKAGE = "{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"
_CIPHER = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"
_HTML = ("application/xhtml+xml", "text/html")


def read_epub(path: str, reading: Reading) -> None:
    """Read a book. Raise UnusableAssetError for other ZIP files. A chapter that cannot be read is left out."""
    with zip_parts(path, needed="mimetype", contains=(b"application/epub+zip",), what="EPUB book") as parts:
        found = next(parts.xml(_CONTAINER).iter(_PACKAGE), None)
        name = "" if found is None else found.get("full-path", "")
        package = parts.xml(name)
        read_properties(package.find(f"{_OPF}metadata"), reading)
        files = {
            item.get("id"): part_name(dirname(name), item.get("href", ""))
            for item in package.iterfind(f"{_OPF}manifest/{_OPF}item")
            if item.get("media-type") in _HTML and "nav" not in item.get("properties", "").split()
        }
        order = [one.get("idref") for one in package.iterfind(f"{_OPF}spine/{_OPF}itemref")]
        chapters = [files[one] for one in order if one in files]
        locked = _encrypted(parts)
        for chapter in dict.fromkeys(chapters):
            if chapter in locked:
                reading.missed(f"{chapter} is encrypted")
            else:
                _read_chapter(parts, chapter, reading)
        if reading.is_empty:
            reading.missed("there is no text; the pages may be images")


def _read_chapter(parts: ZipParts, name: str, reading: Reading) -> None:
    try:
        content = parts.read(name)
    except (KeyError, zipfile.BadZipFile) as error:
        reading.missed(f"{name} cannot be read: {error!r}")
        return
    if len(content) > MOST_HTML:
        reading.missed(f"only the first {MOST_HTML:,} bytes of {name} are read")
        content = content[:MOST_HTML]
    html = decode_html(content, "application/xhtml+xml").html
    reading.add_markdown(markdown_of(html if isinstance(html, str) else html.decode("utf-8", "replace")))


def _encrypted(parts: ZipParts) -> set[str]:
    """Return the names of encrypted parts; fonts often are."""
    root = parts.xml_or_none("META-INF/encryption.xml")
    return set() if root is None else {part_name("", one.get("URI", "")) for one in root.iter(_CIPHER)}
