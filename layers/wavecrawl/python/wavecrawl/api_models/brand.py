"""Brands: responses, and the values that a person sets."""

from pydantic import Field

from wavecrawl.api_models.types import LONGEST_URL, AsOfWave, RequestModel, ResponseModel

_HEX = "^(#[0-9a-fA-F]{6})?$"
_SOURCE = "Where the value was found, such as `css --primary` or `json-ld`. `set`: a person set it."
_CONFIDENCE = "How certain the value is, from 0 to 1."
_LONGEST_FONT = 100


class BrandColour(ResponseModel):
    """A colour of a brand."""

    hex: str = Field(description="The colour as `#rrggbb`.")
    source: str = Field(description=_SOURCE)
    confidence: float = Field(description=_CONFIDENCE)


class BrandFont(ResponseModel):
    """A font of a brand."""

    family: str
    role: str = Field(description="What it is used for: `body` or `heading`. Empty: unknown.")
    source: str = Field(description=_SOURCE)
    confidence: float = Field(description=_CONFIDENCE)


class BrandLogo(ResponseModel):
    """The logo of a brand."""

    url: str = Field(description="Absolute URL. A `data:` URI if it is an SVG image inside the page.")
    source: str = Field(description=_SOURCE)
    confidence: float = Field(description=_CONFIDENCE)


class Brand(ResponseModel):
    """The brand of a site. Values that are unknown are `null`."""

    primary: BrandColour | None
    secondary: BrandColour | None
    accent: BrandColour | None
    background: BrandColour | None = Field(description="Background colour of the page.")
    text: BrandColour | None = Field(description="Text colour of the page.")
    text_contrast: float | None = Field(
        description="Contrast ratio of the text on the background, from 1 to 21 (WCAG 2.2). Level AA requires 4.5."
    )
    button_contrast: float | None = Field(
        description="Contrast ratio of the text of a button in the primary colour, from 1 to 21."
    )
    fonts: list[BrandFont] = Field(description="Fonts that the site brings along, without those of operating systems.")
    logo: BrandLogo | None
    confidence: float = Field(
        description="Share of primary colour, fonts and logo that is known, from 0 to 1. 0: nothing is known."
    )


class CrawlBrand(Brand):
    """The brand that a crawl found on the root page."""

    as_of_wave: AsOfWave


class SiteBrand(Brand):
    """The brand of a saved site: what a person set, and for the rest what a crawl found."""

    crawl: str | None = Field(description="ID of the crawl that found the brand. `null`: none did.")


class BrandValues(RequestModel):
    """Values of a brand that a person sets. Crawls do not change them. Empty: the value that a crawl found applies."""

    primary: str = Field(default="", pattern=_HEX, description="The colour as `#rrggbb`.", examples=["#0f62fe"])
    secondary: str = Field(default="", pattern=_HEX, description="The colour as `#rrggbb`.")
    accent: str = Field(default="", pattern=_HEX, description="The colour as `#rrggbb`.")
    background: str = Field(default="", pattern=_HEX, description="Background colour of the page, as `#rrggbb`.")
    text: str = Field(default="", pattern=_HEX, description="Text colour of the page, as `#rrggbb`.")
    body_font: str = Field(default="", max_length=_LONGEST_FONT, description="Font family of the text.")
    heading_font: str = Field(default="", max_length=_LONGEST_FONT, description="Font family of headings.")
    logo: str = Field(
        default="", max_length=LONGEST_URL, pattern="^(https?://.*)?$", description="URL of the logo, http or https."
    )
