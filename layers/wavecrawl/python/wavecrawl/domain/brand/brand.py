"""The brand of a site. Each value says where it was found, and how certain that is.

Values are in page records, which are msgspec structs.
"""

from msgspec import Struct

_PARTS = 3  # colours, fonts, logo

MOST_FONTS = 8

SET = "set"
"""The source of values that a person set."""


class BrandColour(Struct, frozen=True, kw_only=True):
    """A colour."""

    hex: str  # such as #0f62fe
    source: str  # such as `css --primary`
    confidence: float  # 0 to 1


class BrandFont(Struct, frozen=True, kw_only=True):
    """A font family that the site brings along. Fonts of the system are none."""

    family: str
    role: str = ""  # body, heading; "" = unknown
    source: str
    confidence: float  # 0 to 1


class BrandLogo(Struct, frozen=True, kw_only=True):
    """A logo."""

    url: str  # absolute; a data URI if it is an SVG image inside the page
    source: str
    confidence: float  # 0 to 1


class Brand(Struct, frozen=True, kw_only=True):
    """What is known of the brand. Values that were not found are None."""

    primary: BrandColour | None = None
    secondary: BrandColour | None = None
    accent: BrandColour | None = None
    background: BrandColour | None = None  # of the page
    text: BrandColour | None = None  # of the page
    text_contrast: float | None = None  # contrast ratio of text on background, 1 to 21 (WCAG 2.2)
    button_contrast: float | None = None  # contrast ratio of the text of a button in the primary colour
    fonts: tuple[BrandFont, ...] = ()
    logo: BrandLogo | None = None

    @property
    def confidence(self) -> float:
        """The share of primary colour, fonts and logo that was found, from 0 to 1."""
        return sum(map(bool, (self.primary, self.fonts, self.logo))) / _PARTS


class SetBrand(Struct, frozen=True, kw_only=True):
    """The values that a person set. "" = the value that a crawl found applies."""

    primary: str = ""  # hex, as the other colours
    secondary: str = ""
    accent: str = ""
    background: str = ""
    text: str = ""
    body_font: str = ""
    heading_font: str = ""
    logo: str = ""  # absolute URL
