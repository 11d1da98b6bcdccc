"""Documents by 20 programs. Their texts were known before they were made (tests/support/sample_documents.py)."""

import json
import re
from pathlib import Path

import pytest
from tests.adapters.media.conftest import Process

FOLDER = Path(__file__).parents[2] / "data" / "documents"
CONTENTS: dict[str, list[str]] = json.loads((FOLDER / "contents.json").read_text())
TITLE, AUTHOR = "How the harbour works", "Ada Quay"


GLUED = ("ghostscript.pdf",)
"""Files in which words are so close to each other that pypdf finds no space between some of them."""


def words_of(text: str) -> str:
    """Return text with single spaces, without hyphenation."""
    joined = re.sub(r"(?<=\w)[-\u2010\u00ad]\n(?=\w)", "", text)
    return " ".join(joined.replace("\u2019", "'").split())


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_all_texts_are_found_in_their_order(process: Process, name: str) -> None:
    asset, _ = process((FOLDER / name).read_bytes())
    document = asset.document
    assert document is not None
    assert document.problem == ""
    found = words_of(document.text)
    space = "" if name in GLUED else " "
    found = found.replace(" ", space)
    at = 0
    missing = []
    for text in CONTENTS[name]:
        place = found.find(words_of(text).replace(" ", space), at)
        if place < 0:
            missing.append(text)
        else:
            at = place
    assert (missing, found) == ([], found)


# What the programs write of title and author; the others write neither, or their own.
BOTH = ("fpdf2.pdf", "libreoffice.pdf", "libreoffice-pdfa.pdf", "mupdf-of-libreoffice.pdf", "qpdf-linearized.pdf",
        "qpdf-object-streams.pdf", "reportlab.pdf", "weasyprint.pdf", "libreoffice.docx", "libreoffice-ooxml.docx",
        "pandoc.docx", "python-docx.docx")  # fmt: skip
TITLE_ALONE = ("chromium.pdf", "ghostscript-of-chromium.pdf", "qpdf-encrypted.pdf")
PAGES = {"cairo.pdf": 1, "chromium.pdf": 2, "fpdf2.pdf": 2, "groff.pdf": 2, "poppler-of-reportlab.pdf": 4}


def test_titles_authors_and_numbers_of_pages_are_read(process: Process) -> None:
    found = {name: process((FOLDER / name).read_bytes())[0].document for name in CONTENTS}
    read = {name: (document.title, document.author) for name, document in found.items() if document}
    assert {name: read[name] for name in BOTH} == dict.fromkeys(BOTH, (TITLE, AUTHOR))
    assert {name: read[name] for name in TITLE_ALONE} == dict.fromkeys(TITLE_ALONE, (TITLE, ""))
    assert {name: document.pages for name, document in found.items() if document and name in PAGES} == PAGES
