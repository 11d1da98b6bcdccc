"""The text of DOCX files, by mammoth."""

import zipfile
from contextlib import suppress

import mammoth
from lxml import etree

from wavecrawl.adapters.media.reading import Reading
from wavecrawl.errors import UnusableAssetError

_MAX_PART = 100 * 2**20  # bytes of one XML part without compression
_TYPES = "[Content_Types].xml"
_MAIN = b"wordprocessingml.document.main+xml"  # of ISO 29500-1 section 11.3.10; templates and macros have others
_NOT_WORD = "a ZIP file that is no Word document"
_CORE = "docProps/core.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"


def read_docx(path: str, reading: Reading) -> None:
    """Read a DOCX file. Raise UnusableAssetError for other ZIP files."""
    try:
        with zipfile.ZipFile(path) as parts:
            if _MAIN not in parts.read(_TYPES):
                raise UnusableAssetError(_NOT_WORD)
            large = [
                part.filename for part in parts.infolist() if part.file_size > _MAX_PART and _is_xml(part.filename)
            ]
            if large:
                reading.missed(f"{large[0]} has more than {_MAX_PART // 2**20} MiB")
                return
            _read_properties(parts, reading)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as error:
        raise UnusableAssetError(_NOT_WORD) from error
    with open(path, "rb") as file:  # noqa: PTH123 - as above
        reading.add(mammoth.extract_raw_text(file).value)


def _read_properties(parts: zipfile.ZipFile, reading: Reading) -> None:
    with suppress(KeyError, zipfile.BadZipFile, etree.XMLSyntaxError):
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        core = etree.fromstring(parts.read(_CORE), parser)
        reading.title = core.findtext(f"{_DC}title") or ""
        reading.author = core.findtext(f"{_DC}creator") or ""


def _is_xml(name: str) -> bool:
    return name.endswith((".xml", ".rels"))
