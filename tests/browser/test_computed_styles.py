"""The computed styles of a page, from which its brand is read."""

from msgspec import structs
from tests.browser.pages import request

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.domain.brand.computed import ComputedButton
from wavecrawl.domain.brand.extraction import brand_of

PAGE = """<style>
:root { --primary: 221 83% 53%; --accent: oklch(0.546 0.245 262.881); --deep: var(--accent) }
body { background: #0b0f19; color: white; font-family: "Rubik", sans-serif }
h1 { font-family: Lora, serif }
</style><header><a href=/1 class=ghost>ghost</a></header><h1>Title</h1><button>b</button><p><a href=/2>text</a></p>
<script>
  const sheet = new CSSStyleSheet();  // rules that are in no element
  sheet.replaceSync('header a { background-color: rgb(170, 0, 0) } button { background: #00aa00; color: black }');
  document.adoptedStyleSheets = [sheet];
</script>"""


def test_styles_that_only_scripts_make_are_read(browser: ChromiumBrowser) -> None:
    page = browser.render(structs.replace(request(PAGE), styles=True))
    styles = page.styles
    assert styles is not None
    assert (styles.background, styles.colour) == ("rgb(11, 15, 25)", "rgb(255, 255, 255)")
    assert (styles.body_font, styles.heading_font) == ("Rubik, sans-serif", "Lora, serif")
    assert styles.buttons == (
        ComputedButton(background="rgb(170, 0, 0)", colour="rgb(0, 0, 238)", in_header=True),
        ComputedButton(background="rgb(0, 170, 0)", colour="rgb(0, 0, 0)"),
    )
    assert styles.variables["--primary"].strip() == "221 83% 53%"
    brand = brand_of(page.html, url=page.url, computed=styles)
    assert brand is not None
    assert brand.primary is not None
    assert (brand.primary.hex, brand.primary.source) == ("#2463eb", "css --primary")
    assert [font.family for font in brand.fonts] == ["Rubik", "Lora"]


def test_styles_are_read_on_request_only(browser: ChromiumBrowser) -> None:
    assert browser.render(request(PAGE)).styles is None
