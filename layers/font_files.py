"""The fonts of the optional layer, for scripts that the fonts of Chromium's layer lack.

All are under the SIL Open Font License, whose text is beside each. Chinese, Japanese and Korean come from Noto Sans
CJK, reduced to the characters in use. Arabic, Devanagari, Thai and emoji (in one colour) are fonts of their own.
fonts.conf in Chromium's layer names /opt/fonts.
"""

import json
import shutil
import tarfile
from pathlib import Path
from typing import Final

from fontTools import subset

from layers.npm_packages import archive_of, content_of

PACKAGES: Final = Path(__file__).parent / "fonts" / "packages.json"
"""Names, versions and hashes of the npm packages, and the file of each that the layer contains."""

PLACE: Final = Path("fonts", "Noto")
"""The folder in the layer."""

_CJK: Final = "NotoSansCJKjp-Regular.otf"
_CHARACTERS: Final = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x2000, 0x206F),  # General Punctuation
    (0x2E80, 0x33FF),  # radicals, kana, Bopomofo, enclosed and compatibility characters
    (0x4E00, 0x9FFF),  # CJK Unified Ideographs
    (0xAC00, 0xD7A3),  # Hangul Syllables
    (0xF900, 0xFAFF),  # CJK Compatibility Ideographs
    (0xFE30, 0xFE4F),  # CJK Compatibility Forms
    (0xFF00, 0xFFEF),  # Halfwidth and Fullwidth Forms
)
"""Blocks of Unicode, first and last character. Without the others, the font has 6 instead of 16 MB."""


def add_fonts(layer: Path, cache: Path) -> None:
    """Add all fonts to a layer, in which pip has installed the package with the font for CJK. Raise PackageError."""
    folder = layer / PLACE
    folder.mkdir(parents=True)
    for package in json.loads(PACKAGES.read_text(encoding="utf-8")):
        with tarfile.open(archive_of(package, cache)) as archive:
            name = Path(package["file"]).name
            (folder / name).write_bytes(content_of(archive, package["file"]))
            (folder / f"{name}.LICENSE").write_bytes(content_of(archive, "LICENSE_FONT"))
    (font,) = layer.rglob(_CJK)
    (license_,) = (layer / "python").rglob("licenses/LICENSE")
    _reduce(font, folder / _CJK)
    shutil.copyfile(license_, folder / f"{_CJK}.LICENSE")
    shutil.rmtree(layer / "python")


def _reduce(font: Path, into: Path) -> None:
    """Write a font with the characters in use only."""
    options = subset.Options(layout_features=[], hinting=False, recalc_timestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for first, last in _CHARACTERS for code in range(first, last + 1)])
    with subset.load_font(str(font), options) as whole:
        subsetter.subset(whole)
        subset.save_font(whole, str(into), options)
