"""The brand in the report."""

from collections.abc import Iterator

from wavecrawl.adapters.analytics.report.markup import html_text, link, table
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
    rows = list(_rows(brand))
    values = table("Brand", ("Part", "Value", "Note"), rows) if rows else ""
    note = f'<p class="soft">Read from the root page; {brand.confidence:.0%} of colour, fonts and logo were found.</p>'
    return note + (f'<div class="swatches">{swatches}</div>' if swatches else "") + values


def _swatch(role: str, colour: BrandColour) -> str:
    return (
        f'<div class="swatch"><svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><rect width="1" '
        f'height="1" fill="{html_text(colour.hex)}"/></svg><b>{html_text(colour.hex)}</b>'
        f"<span>{role}</span><small>{html_text(colour.source)}</small></div>"
    )


def _rows(brand: Brand) -> Iterator[tuple[str, str, str]]:
    for font in brand.fonts:
        yield f"{font.role or 'other'} font", html_text(font.family), html_text(font.source)
    if brand.logo is not None:
        yield "logo", _logo(brand.logo.url), html_text(brand.logo.source)
    for name, ratio in (("text on background", brand.text_contrast), ("text of buttons", brand.button_contrast)):
        if ratio is not None:
            verdict = "enough" if ratio >= _ENOUGH_CONTRAST else "too little"
            yield f"contrast of {name}", f"{ratio:.2f}", f"{verdict} for WCAG 2.2, level AA"


def _logo(url: str) -> str:
    """Return an image that the page contains as a picture, which runs no scripts; any other as a link."""
    if url.startswith("data:image/svg+xml;base64,"):
        return f'<img class="logo" alt="logo" src="{html_text(url)}">'
    return link(url)
