"""Styles as a browser computed them."""

from msgspec import Struct


class ComputedButton(Struct, frozen=True, kw_only=True):
    """A button or a link of the header."""

    background: str = ""  # CSS colours
    colour: str = ""
    in_header: bool = False


class ComputedStyles(Struct, frozen=True, kw_only=True):
    """The computed styles of a rendered page, as CSS values; "" = unknown."""

    background: str = ""  # of body
    colour: str = ""
    body_font: str = ""
    heading_font: str = ""  # of the first h1, or h2
    buttons: tuple[ComputedButton, ...] = ()
    variables: dict[str, str] = {}  # custom properties of the root element
