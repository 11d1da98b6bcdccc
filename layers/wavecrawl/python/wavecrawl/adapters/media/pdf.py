"""The text of PDF files, by pypdf."""

from collections.abc import Callable
from typing import TypeVar

from pypdf import PasswordType, PdfReader
from pypdf.errors import PyPdfError

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
    for number, page in enumerate(reader.pages, 1):
        try:
            text = page.extract_text()
        except (MemoryError, EnoughTextError):
            raise
        except Exception as error:  # noqa: BLE001 - a broken page makes pypdf raise anything
            reading.missed(f"page {number} cannot be read: {error!r}")
            continue
        reading.add(text)
    if reading.is_empty:
        reading.missed("there is no text; the pages may be images")


T = TypeVar("T")


def _or_none(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (PyPdfError, AttributeError, KeyError, TypeError, ValueError):
        return None
