"""Parts of documents that are ZIP files: DOCX, PPTX, XLSX, OpenDocument and EPUB. Limits are checked before reading."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from lxml import etree

from wavecrawl.adapters.media.reading import Reading, UnreadableError
from wavecrawl.errors import UnusableAssetError

MAX_PART = 100 * 2**20
"""Bytes of one part without compression, other than images and the like."""

_READ = (".xml", ".rels", ".opf", ".xhtml", ".html", ".htm")  # extensions of parts that are read
_STREAMED = "xl/worksheets/"  # parts that openpyxl reads row by row
_DC = "{http://purl.org/dc/elements/1.1/}"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class ZipParts:
    """The parts of an open file, by their names."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._sizes = {part.filename: part.file_size for part in file.infolist()}

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    @property
    def too_large(self) -> str:
        """Name of a part that is too large to be read; "" if there is none."""
        large = (name for name, size in self._sizes.items() if size > MAX_PART and name.lower().endswith(_READ))
        return next((name for name in large if not name.startswith(_STREAMED)), "")

    def read(self, name: str) -> bytes:
        """Return a part. Raise KeyError if there is none, zipfile.BadZipFile if it is damaged or too large."""
        if self._sizes[name] > MAX_PART:
            raise zipfile.BadZipFile(f"{name} has more than {MAX_PART // 2**20} MiB")
        return self._file.read(name)

    def xml(self, name: str) -> etree._Element:
        """Return the root of an XML part. Entities are not expanded, and nothing is loaded."""
        return etree.fromstring(self.read(name), _parser())

    def xml_or_none(self, name: str) -> etree._Element | None:
        """Return the root of an XML part; None if there is none, or it cannot be read."""
        try:
            return self.xml(name)
        except (KeyError, zipfile.BadZipFile, etree.XMLSyntaxError):
            return None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part (ECMA-376 part 2): type and target by id. Targets inside are part names."""
        folder = dirname(name)
        root = self.xml_or_none(join(folder, "_rels", f"{name[len(folder) :].lstrip('/')}.rels"))
        found = {}
        for relation in () if root is None else root.iter(_RELATION):
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = part_name(folder, target)
            found[relation.get("Id", "")] = relation.get("Type", "").rpartition("/")[2], target
        return found


def part_name(folder: str, reference: str) -> str:
    """Return the name of the part that a reference from another part in `folder` leads to."""
    return normpath(join("/", folder, unquote(reference.partition("#")[0]))).lstrip("/")


@contextmanager
def zip_parts(path: str, *, needed: str, contains: tuple[bytes, ...], what: str) -> Iterator[ZipParts]:
    """Open a file. Raise UnusableAssetError if it has no part `needed` with one of `contains`, so is no `what`.

    Raise UnreadableError if a part is too large.
    """
    other = UnusableAssetError(f"a ZIP file that is no {what}")
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise other from error
    with file:
        parts = ZipParts(file)
        try:
            found = parts.read(needed)
        except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise other from error
        if not any(one in found for one in contains):
            raise other
        if parts.too_large:
            raise UnreadableError(f"{parts.too_large} has more than {MAX_PART // 2**20} MiB")
        yield parts


def read_properties(root: etree._Element | None, reading: Reading) -> None:
    """Read title and author from an element with properties of Dublin Core."""
    for element in () if root is None else root.iter(f"{_DC}title", f"{_DC}creator"):
        text = (element.text or "").strip()
        if element.tag == f"{_DC}title":
            reading.title = reading.title or text
        else:
            reading.author = reading.author or text


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
