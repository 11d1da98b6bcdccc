"""The brand in the report."""

from collections.abc import Iterator
from html import escape

from wavecrawl.domain.brand.brand import Brand, BrandColour

_ENOUGH_CONTRAST = 4.5  # of text: https://www.w3.org/TR/WCAG22/#contrast-minimum


def brand_section(brand: Brand) -> str:
    """Return colours, contrasts, fonts and logo. Nothing in it is loaded from the site."""
    colours = {
        "primary": brand.primary,
        "secondary": brand.secondary,
        "accent": brand.accent,
        "background": brand.background,
        "text": brand.text,
    }
    swatches = "".join(_swatch(role, colour) for role, colour in colours.items() if colour)
    rows = "".join(f"<tr><td>{name}</td><td>{value}</td><td>{note}</td></tr>" for name, value, note in _rows(brand))
    table = f'<div class="scroll"><table><tr><th></th><th>value</th><th>note</th></tr>{rows}</table></div>'
    note = f'<p class="soft">Read from the root page; {brand.confidence:.0%} of colour, fonts and logo were found.</p>'
    return note + (f'<div class="swatches">{swatches}</div>' if swatches else "") + (table if rows else "")


def _swatch(role: str, colour: BrandColour) -> str:
    return (
        f'<div class="swatch"><i style="background:{escape(colour.hex)}"></i><b>{escape(colour.hex)}</b>'
        f"<span>{role}</span><small>{escape(colour.source)}</small></div>"
    )


def _rows(brand: Brand) -> Iterator[tuple[str, str, str]]:
    for font in brand.fonts:
        yield f"{font.role or 'other'} font", escape(font.family), escape(font.source)
    if brand.logo is not None:
        yield "logo", _logo(brand.logo.url), escape(brand.logo.source)
    for name, ratio in (("text on background", brand.text_contrast), ("text of buttons", brand.button_contrast)):
        if ratio is not None:
            verdict = "enough" if ratio >= _ENOUGH_CONTRAST else "too little"
            yield f"contrast of {name}", f"{ratio:.2f}", f"{verdict} for WCAG 2.2, level AA"


def _logo(url: str) -> str:
    """Return an image that the page contains as a picture, which runs no scripts; any other as a link."""
    text = escape(url)
    if url.startswith("data:image/svg+xml;base64,"):
        return f'<img class="logo" alt="logo" src="{text}">'
    return f'<a href="{text}" rel="noreferrer">{text}</a>' if url.startswith(("http://", "https://")) else text
