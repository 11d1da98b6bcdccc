"""One brand of two: of a response and its DOM, or of a crawl and a person."""

from collections.abc import Iterable
from typing import Final, TypeVar

from wavecrawl.domain.brand.brand import MOST_FONTS, SET, Brand, BrandColour, BrandFont, BrandLogo, SetBrand
from wavecrawl.domain.brand.colour import colour_of, contrast

_CERTAIN: Final = 1.0
_ORDER: Final = ("body", "heading", "")  # of fonts, by their role
_Value = TypeVar("_Value", BrandColour, BrandLogo)


def merged(one: Brand | None, two: Brand | None) -> Brand | None:
    """Return a brand with the more certain values of two; of equally certain ones, those of the first."""
    if one is None or two is None:
        return one or two
    primary = _surer(one.primary, two.primary)
    background, text = _surer(one.background, two.background), _surer(one.text, two.text)
    return Brand(
        primary=primary,
        secondary=_surer(one.secondary, two.secondary),
        accent=_surer(one.accent, two.accent),
        background=background,
        text=text,
        text_contrast=_contrast(text, background),
        button_contrast=(one if primary is one.primary else two).button_contrast,
        fonts=_surest_fonts((*one.fonts, *two.fonts)),
        logo=_surer(one.logo, two.logo),
    )


def with_set_values(found: Brand | None, values: SetBrand) -> Brand:
    """Return a brand with the values that a person set in place of those that a crawl found."""
    found = found or Brand()
    primary = _set_colour(values.primary, found.primary)
    background, text = _set_colour(values.background, found.background), _set_colour(values.text, found.text)
    return Brand(
        primary=primary,
        secondary=_set_colour(values.secondary, found.secondary),
        accent=_set_colour(values.accent, found.accent),
        background=background,
        text=text,
        text_contrast=_contrast(text, background),
        button_contrast=found.button_contrast if primary is found.primary else None,
        fonts=_set_fonts(found.fonts, values),
        logo=BrandLogo(url=values.logo, source=SET, confidence=_CERTAIN) if values.logo else found.logo,
    )


def _surer(one: _Value | None, two: _Value | None) -> _Value | None:
    if one is None or two is None:
        return one or two
    return two if two.confidence > one.confidence else one


def _surest_fonts(fonts: Iterable[BrandFont]) -> tuple[BrandFont, ...]:
    by_family = {font.family.casefold(): font for font in sorted(fonts, key=lambda font: font.confidence)}
    return tuple(sorted(by_family.values(), key=lambda font: (_ORDER.index(font.role), -font.confidence)))[:MOST_FONTS]


def _contrast(text: BrandColour | None, background: BrandColour | None) -> float | None:
    one, two = (colour_of(found.hex) if found else None for found in (text, background))
    return contrast(one, two) if one and two else None


def _set_colour(value: str, found: BrandColour | None) -> BrandColour | None:
    return BrandColour(hex=value.lower(), source=SET, confidence=_CERTAIN) if value else found


def _set_fonts(found: Iterable[BrandFont], values: SetBrand) -> tuple[BrandFont, ...]:
    """Return the set fonts, then the others. A font that a crawl found for the same role gives way."""
    roles = {"body": values.body_font, "heading": values.heading_font}
    fonts = [BrandFont(family=name, role=role, source=SET, confidence=_CERTAIN) for role, name in roles.items() if name]
    return (*fonts, *(font for font in found if not roles.get(font.role)))
