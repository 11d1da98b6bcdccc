"""The optional layer with fonts: Chromium draws text of each script with them, and boxes without them."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from layers.build import chromium_layer, fonts_layer
from playwright.sync_api import Browser, sync_playwright
from tests.support.campaign import slow
from tests.support.launching import launched
from tests.support.session import locked

from wavecrawl.adapters.browser.executable import find_chromium

SCRIPTS = {
    "zh": ("漢语", "Noto Sans CJK JP"),
    "zh-Hant": ("學習", "Noto Sans CJK JP"),
    "ja": ("ひカ", "Noto Sans CJK JP"),
    "ko": ("한국", "Noto Sans CJK JP"),
    "ar": ("عر", "Noto Sans Arabic"),
    "hi": ("हन", "Noto Sans Devanagari"),
    "th": ("ไท", "Noto Sans Thai"),
    "emoji": ("😀🚀", "Noto Emoji"),
}
"""Two characters of each script, and the font of the layer that has them."""


def limited_to(fonts: Sequence[Path], folder: Path) -> Path:
    """Write a configuration of fontconfig that knows no fonts but those in some folders."""
    folders = "".join(f"<dir>{path}</dir>" for path in fonts)
    file = folder / "fonts.conf"
    file.write_text(f"<fontconfig>{folders}<cachedir>{folder / 'cache'}</cachedir></fontconfig>")
    return file


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[tuple[Browser, Browser]]:
    """A browser with the fonts of both layers, and one with those of Chromium's layer only."""
    if sys.platform != "linux":
        pytest.skip("Chromium takes its fonts from fontconfig on Linux only")
    with locked("layers"):
        basic, more = chromium_layer().folder / "fonts", fonts_layer().folder / "fonts"
    with sync_playwright() as playwright:
        made = []
        for number, fonts in enumerate(((basic, more), (basic,))):
            folder = tmp_path / str(number)
            folder.mkdir()
            env: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(limited_to(fonts, folder))}
            made.append(launched(playwright.chromium, find_chromium(), env=env))
        yield made[0], made[1]
        for one in made:
            one.close()


def drawn(browser: Browser, text: str) -> tuple[set[str], list[bytes]]:
    """Return the fonts of a text, and a picture of each of its characters."""
    page = browser.new_page()
    page.set_content("".join(f'<p style="font: 40px sans-serif; width: 60px">{one}</p>' for one in text))
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes: list[Any] = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "p"})["nodeIds"]
    used = [session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    pictures = [one.screenshot() for one in page.locator("p").all()]
    page.close()
    return {font["familyName"] for fonts in used for font in fonts}, pictures


@slow
def test_the_layer_draws_what_would_be_boxes(browsers: tuple[Browser, Browser]) -> None:
    everything, basic = browsers
    for name, (text, font) in SCRIPTS.items():
        fonts, (one, other) = drawn(everything, text)
        assert (name, fonts) == (name, {font})
        assert one != other, name
        _, (box, same) = drawn(basic, text)
        assert box == same, name  # a character without a glyph is a box like any other
    for text in ("ag", "λω", "жю", "עב"):
        fonts, (one, other) = drawn(basic, text)
        assert fonts == {"Open Sans"}
        assert one != other
