"""Colours as CSS writes them."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from tinycss2.ast import FunctionBlock, Node
from tinycss2.color4 import Color, parse_color
from tinycss2.parser import parse_component_value_list

_BARE_HSL = re.compile(r"-?[\d.]+(?:deg)?[\s,]+[\d.]+%[\s,]+[\d.]+%(?:\s*[/,]\s*[\d.]+%?)?")
_BARE_RGB = re.compile(r"\d{1,3}[\s,]+\d{1,3}[\s,]+\d{1,3}")
_LONGEST = 2_000  # characters of a value
_LEAST_CHROMA = 0.12
_LIGHT = 0.85  # relative luminance
_LEAST_DISTANCE = 0.2
_SOLID = 0.5  # opacity

_XYZ_TO_RGB: Final = (
    (3.2409699419045226, -1.537383177570094, -0.4986107602930034),
    (-0.9692436362808796, 1.8759675015077202, 0.04155505740717559),
    (0.05563007969699366, -0.20397695888897652, 1.0569715142428786),
)
"""From XYZ (D65) to linear sRGB: https://www.w3.org/TR/css-color-4/#color-conversion-code"""


class Colour(Struct, frozen=True):
    """An opaque sRGB colour; channels from 0 to 1, in steps of 1/255."""

    red: float
    green: float
    blue: float

    @property
    def hex(self) -> str:
        """The colour as #rrggbb."""
        return "#" + "".join(f"{round(channel * 255):02x}" for channel in self.channels)

    @property
    def luminance(self) -> float:
        """The relative luminance, 0 to 1 (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""
        red, green, blue = map(_linear, self.channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    @property
    def is_chromatic(self) -> bool:
        """Whether it is a colour rather than a shade of grey."""
        return max(self.channels) - min(self.channels) >= _LEAST_CHROMA

    @property
    def is_light(self) -> bool:
        """Whether it is nearly white."""
        return self.luminance > _LIGHT

    def differs_from(self, other: "Colour") -> bool:
        """Return whether people see another colour, and not a shade of the same."""
        squares = ((one - two) ** 2 for one, two in zip(self.channels, other.channels, strict=True))
        return sum(squares) >= _LEAST_DISTANCE**2

    @property
    def channels(self) -> tuple[float, float, float]:
        """Red, green and blue."""
        return self.red, self.green, self.blue


def contrast(one: Colour, two: Colour) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)."""
    low, high = sorted((one.luminance, two.luminance))
    return round((high + 0.05) / (low + 0.05), 2)


def colour_of(text: str) -> Colour | None:
    """Return the colour of a CSS value; None if it is none, or mostly transparent.

    Bare triples are read too, as in `--primary: 222 47% 11%` (HSL) and `--primary-rgb: 13,110,253`.
    """
    text = text[:_LONGEST].strip()
    if _BARE_HSL.fullmatch(text):
        text = f"hsl({text})"
    elif _BARE_RGB.fullmatch(text):
        text = f"rgb({text})"
    return _first_of(parse_component_value_list(text)[:1])


def first_colour(text: str) -> Colour | None:
    """Return the first colour of a CSS value with several parts, such as a background; None if there is none.

    A colour of a gradient counts only if there is no other.
    """
    tokens = parse_component_value_list(text[:_LONGEST])
    inside = (token for outer in tokens if _is_gradient(outer) for token in outer.arguments)
    return _first_of(tokens) or _first_of(inside)


def _first_of(tokens: Iterable[Node]) -> Colour | None:
    found = (_srgb(colour) for colour in map(parse_color, tokens) if isinstance(colour, Color))
    return next(filter(None, found), None)


def _is_gradient(token: Node) -> bool:
    return bool(isinstance(token, FunctionBlock) and token.lower_name.endswith("gradient"))


def _srgb(colour: Color) -> Colour | None:
    """Return a colour in sRGB. What a screen cannot show is clipped, as browsers do."""
    if colour.alpha < _SOLID:
        return None
    if colour.space in ("srgb", "hsl", "hwb"):
        channels = colour.to("srgb").coordinates
    elif colour.space in ("oklab", "oklch"):
        xyz = colour.to("xyz-d65").coordinates
        channels = tuple(_gamma(sum(a * b for a, b in zip(row, xyz, strict=True))) for row in _XYZ_TO_RGB)
    else:
        return None
    return Colour(*(round(255 * min(1.0, max(0.0, float(channel or 0.0)))) / 255 for channel in channels))


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - of WCAG


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055  # noqa: PLR2004 - of sRGB
