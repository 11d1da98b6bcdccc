"""The text of PDF files, by pypdf."""

from collections.abc import Callable
from typing import TypeVar

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import PyPdfError

from wavecrawl.adapters.media.pdf_fonts import Fonts
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
    fonts = Fonts()
    for number, page in enumerate(reader.pages, 1):
        try:
            text, is_whole = _text_of(page, fonts)
        except (MemoryError, EnoughTextError):
            raise
        except Exception as error:  # noqa: BLE001 - a broken page makes pypdf raise anything
            reading.missed(f"page {number} cannot be read: {error!r}")
            continue
        if not is_whole:
            reading.missed(f"page {number}: text could not be read, as its font has no Unicode map")
        reading.add(text)
    if reading.is_empty:
        reading.missed("there is no text; the pages may be images")


def _text_of(page: PageObject, fonts: Fonts) -> tuple[str, bool]:
    """Return the text of a page, and whether all of it could be read."""
    parts: list[tuple[str, bool]] = []

    def found(text: str, _matrix: object, _text_matrix: object, font: object, _size: object) -> None:
        parts.append(fonts.letters(text, font))

    page.extract_text(visitor_text=found)
    return "".join(part for part, _ in parts), all(is_whole for _, is_whole in parts)


T = TypeVar("T")


def _or_none(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (PyPdfError, AttributeError, KeyError, TypeError, ValueError):
        return None
