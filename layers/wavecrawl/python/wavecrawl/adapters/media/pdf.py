"""The text of PDF files, by pypdf."""

from collections.abc import Callable
from typing import Any, TypeVar

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import PyPdfError

from wavecrawl.adapters.media.pdf_fonts import Fonts
from wavecrawl.adapters.media.pdf_structure import MarkedTexts, structured_html
from wavecrawl.adapters.media.reading import EnoughTextError, Reading


def read_pdf(path: str, reading: Reading) -> None:
    """Read a PDF file. A page that cannot be read is noted and left out."""
    reader = PdfReader(path)
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        reading.missed("encrypted with a password")
        return
    information = _or_none(lambda: reader.metadata)
    if information is not None:
        reading.title = str(_or_none(lambda: information.title) or "")
        reading.author = str(_or_none(lambda: information.author) or "")
    reading.pages = len(reader.pages)
    fonts, marked = Fonts(), MarkedTexts()
    tree = _or_none(lambda: reader.root_object.get("/StructTreeRoot"))
    characters = 0
    for number, page in enumerate(reader.pages, 1):
        try:
            marked.begin_page(number - 1)
            text, is_whole = _text_of(page, fonts, None if tree is None else marked)
        except (MemoryError, EnoughTextError):
            raise
        except Exception as error:  # noqa: BLE001 - a broken page makes pypdf raise anything
            reading.missed(f"page {number} cannot be read: {error!r}")
            continue
        if not is_whole:
            reading.missed(f"page {number}: text could not be read, as its font has no Unicode map")
        characters += len("".join(text.split()))
        reading.add(text)
    if tree is not None:
        _add_structure(reader, tree.get_object(), marked, characters, reading)
    if reading.is_empty:
        reading.missed("there is no text; the pages may be images")


def _add_structure(reader: PdfReader, tree: Any, marked: MarkedTexts, characters: int, reading: Reading) -> None:
    """Replace the text by that of the structure, if there is one that can be read."""
    from wavecrawl.adapters.media.document_html import markdown_of  # noqa: PLC0415 - most files have no structure

    numbers = {page.indirect_reference.idnum: at for at, page in enumerate(reader.pages) if page.indirect_reference}
    try:
        html = structured_html(tree, numbers, marked.found, characters=characters)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - as above; the text without structure remains
        return
    if html:
        reading.replace(markdown_of(html))


def _text_of(page: PageObject, fonts: Fonts, marked: MarkedTexts | None) -> tuple[str, bool]:
    """Return the text of a page, and whether all of it could be read."""
    parts: list[tuple[str, bool]] = []

    def found(text: str, _matrix: object, _text_matrix: object, font: object, _size: object) -> None:
        letters, is_whole = fonts.letters(text, font)
        parts.append((letters, is_whole))
        if marked is not None:
            marked.add(letters)

    page.extract_text(visitor_operand_before=None if marked is None else marked.operator, visitor_text=found)
    return "".join(part for part, _ in parts), all(is_whole for _, is_whole in parts)


T = TypeVar("T")


def _or_none(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (PyPdfError, AttributeError, KeyError, TypeError, ValueError):
        return None
