"""The colours of a brand: candidates from variables, buttons and backgrounds, and the choice among them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from bs4 import BeautifulSoup, Tag
from msgspec import Struct

from wavecrawl.domain.brand.brand import Brand, BrandColour
from wavecrawl.domain.brand.colour import Colour, colour_of, contrast
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.brand.page_styles import PageStyles
from wavecrawl.domain.brand.regions import buttons_of, headers_of, heroes_of

_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "primary": ("brand primary", "primary", "brand", "primary button background", "primary button bg"),
    "secondary": ("brand secondary", "secondary"),
    "accent": ("brand accent", "accent", "tertiary", "highlight"),
    "background": ("background", "bg", "body bg", "body background", "page bg", "page background", "base", "surface"),
    "text": ("text", "foreground", "fg", "body", "body text", "ink", "contrast"),
}
"""Role -> names of variables that have it, the best first."""

_NO_NAME: Final = frozenset(
    "color colors colour clr bs wp preset theme global e site palette main default token ds app ui ast md sys ion "
    "bulma mui chakra hsl rgb 500 600".split()
)
"""Words in names of variables that say nothing about the role."""

_MOST_VARIABLES: Final = 20  # with the same role
_LONGEST_NAME: Final = 100  # characters of a variable's name in a source
_WHOLE: Final = ("theme", "main")  # a variable that has no other name is the primary colour
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

_DEFAULT_LINKS: Final = ("#0000ff", "#0000ee")  # of browsers, and of pages that only repeat it

_SURE = 0.9
_ACTUAL = 0.95  # what the page shows, not what a name promises
_GREY = 0.3  # a grey button is less likely to have the brand's colour
_SECOND = 0.8  # a secondary colour that is only the next best candidate


class Found(Struct, frozen=True):
    """A candidate for the primary colour."""

    colour: Colour
    source: str
    confidence: float
    text: Colour | None = None  # of a button: the colour of its text


def with_colours(brand: Brand, page: BeautifulSoup, styles: PageStyles, computed: ComputedStyles | None) -> Brand:
    """Return the brand with its colours."""
    named = dict(_named(styles))
    found = [*_from_page(page, styles), *(_from_computed(computed) if computed else ())]
    if "primary" in named:
        found.insert(0, named["primary"])
    found = _best_first(found)
    primary = found[0] if found else None
    others = [one for one in found if primary and one.colour.is_chromatic and one.colour.differs_from(primary.colour)]
    secondary = named.get("secondary") or (_less(others[0]) if others else None)
    background = _of_body(page, styles.background, computed.background if computed else "") or named.get("background")
    text = _of_body(page, styles.colour, computed.colour if computed else "") or named.get("text")
    on_button = [one.text for one in found if primary and one.text and one.colour == primary.colour]
    return Brand(
        primary=_value(primary),
        secondary=_value(secondary),
        accent=_value(named.get("accent")),
        background=_value(background),
        text=_value(text),
        text_contrast=contrast(text.colour, background.colour) if text and background else None,
        button_contrast=contrast(on_button[0], primary.colour) if primary and on_button else None,
        fonts=brand.fonts,
        logo=brand.logo,
    )


def _named(styles: PageStyles) -> Iterator[tuple[str, Found]]:
    """Yield the colour of each role that the name of a variable says."""
    plain = [(_role_name(name), name) for name in styles.variables]
    for role, names in _ROLES.items():
        fitting = [(names.index(words), name) for words, name in plain if words in names]
        for _, name in sorted(fitting, key=lambda one: one[0])[:_MOST_VARIABLES]:
            colour = colour_of(styles.variable(name))
            if colour is not None:
                yield role, Found(colour, f"css {name[:_LONGEST_NAME]}", _SURE)
                break


def _role_name(variable: str) -> str:
    words = [word.lower() for word in _WORD.findall(variable)]
    plain = [word for word in words if word not in _NO_NAME]
    return " ".join(plain) if plain or not any(word in words for word in _WHOLE) else "primary"


def _from_page(page: BeautifulSoup, styles: PageStyles) -> Iterator[Found]:
    headers, heroes = headers_of(page), heroes_of(page)
    rest = [page] if page.body else []
    for where, areas, confidence in (("header", headers, 0.8), ("hero", heroes, 0.7), ("", rest, 0.6)):
        source = f"{where} button background".strip()
        for button in buttons_of(areas, links=where == "header"):
            yield from _solid(styles.background(button), source, confidence, styles.colour(button))
    meta = page.find("meta", attrs={"name": re.compile("^theme-color$", re.IGNORECASE)})
    yield from _vivid(colour_of(str(meta.get("content", ""))) if meta else None, "meta theme-color", 0.65)
    for where, areas in (("hero", heroes), ("header", headers)):
        for area in areas:
            yield from _vivid(styles.background(area), f"{where} background", 0.5)
    link = styles.link_colour()
    if link is not None and link.hex not in _DEFAULT_LINKS:
        yield from _vivid(link, "link colour", 0.4)


def _from_computed(computed: ComputedStyles) -> Iterator[Found]:
    for button in computed.buttons:
        source = "header button background" if button.in_header else "button background"
        confidence = 0.85 if button.in_header else 0.65
        yield from _solid(colour_of(button.background), f"computed {source}", confidence, colour_of(button.colour))


def _solid(colour: Colour | None, source: str, confidence: float, text: Colour | None) -> Iterator[Found]:
    """Yield the colour of a button, unless it has none or is nearly white."""
    if colour is not None and not colour.is_light:
        yield Found(colour, source, confidence - (0 if colour.is_chromatic else _GREY), text)


def _vivid(colour: Colour | None, source: str, confidence: float) -> Iterator[Found]:
    if colour is not None and colour.is_chromatic and not colour.is_light:
        yield Found(colour, source, confidence)


def _best_first(found: Sequence[Found]) -> list[Found]:
    """Return candidates by confidence; of equal ones, the most frequent colour first."""
    count = Counter(one.colour for one in found)
    return sorted(found, key=lambda one: (-one.confidence, -count[one.colour]))


def _less(one: Found) -> Found:
    return Found(one.colour, one.source, round(one.confidence * _SECOND, 2))


def _of_body(page: BeautifulSoup, read: Callable[[Tag], Colour | None], computed: str) -> Found | None:
    """Return the colour of the page's body as a browser shows it, or as its styles say."""
    colour = colour_of(computed)
    if colour is not None:
        return Found(colour, "computed body", _ACTUAL)
    elements = [element for element in (page.body, page.html) if element is not None]
    colours = (read(element) for element in elements)
    return next((Found(colour, "css body", _SURE) for colour in colours if colour is not None), None)


def _value(found: Found | None) -> BrandColour | None:
    if found is None:
        return None
    return BrandColour(hex=found.colour.hex, source=found.source, confidence=round(found.confidence, 2))
