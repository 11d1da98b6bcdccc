"""The expectations of `tests/support/conformance.py` are what Chromium does."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from tests.browser.oracle import chromium
from tests.support.chromium import executable
from tests.support.conformance import DECLARED, LINKS, PAGE, QUERIES, Declared, Linked

from wavecrawl.domain.urls.query_encoding import in_encoding

# The resolved targets of all links in document order, each once. Those of SVG are resolved against the base URL.
_HREFS = """() => {
  const found = new Set();
  const visit = root => {
    for (const one of root.children) {
      if (one.matches("a:any-link, area:any-link")) {
        const href = one.href.baseVal === undefined ? one.href : new URL(one.href.baseVal, one.baseURI).href;
        found.add(href.split("#")[0]);
      }
      if (one.shadowRoot) visit(one.shadowRoot);
      visit(one);
    }
  };
  visit(document);
  return [...found];
}"""
_OTHER_TABLES = {"big5": 69, "euc-jp": 458, "gb18030": 21, "gbk": 21, "koi8-u": 4, "shift_jis": 4, "windows-1255": 1}
"""Characters of which Python's codec has no code, or another one than the standard."""


@pytest.fixture(name="page", scope="module")
def a_page_of_chromium() -> Iterator[Page]:
    with chromium(executable()) as browser, browser.new_page() as page:
        yield page


def load(page: Page, content: bytes, content_type: str = "text/html") -> None:
    """Load a page with this content from the URL `PAGE`."""
    page.unroute_all()
    page.route("**/*", lambda route: route.fulfill(body=content, headers={"Content-Type": content_type}))
    page.goto(PAGE)


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_encodings_are_declared_where_chromium_sees_them(page: Page, declared: Declared) -> None:
    load(page, declared.content)
    encoding = page.evaluate("document.characterSet").lower()
    if declared.encoding:
        assert encoding == declared.encoding
    else:
        assert encoding in ("windows-1252", "windows-1250")  # what Chromium guesses


@pytest.mark.parametrize("linked", [*QUERIES.values(), *LINKS.values()], ids=[*QUERIES, *LINKS])
def test_links_lead_where_chromium_goes(page: Page, linked: Linked) -> None:
    load(page, linked.content)
    assert page.evaluate("document.characterSet").lower() in (linked.encoding, "windows-1252")
    assert page.evaluate(_HREFS) == list(linked.hrefs)


@pytest.mark.parametrize(
    "encoding",
    [*_OTHER_TABLES, "euc-kr", "ibm866", "iso-8859-7", "koi8-r", "macintosh", "windows-1251", "windows-1252"],
)
def test_characters_are_encoded_as_in_chromium(page: Page, encoding: str) -> None:
    chars = [chr(code) for code in range(0xA0, 0x10000) if not 0xD800 <= code < 0xE000]
    references = "!~!".join(f"&#{ord(char)};" for char in chars)
    load(page, f"<a href='?{references}'>x</a>".encode(), f"text/html; charset={encoding}")
    encoded = page.evaluate("document.links[0].href.split('?')[1]").split("!~!")
    assert len(encoded) == len(chars)
    others = [
        char for char, code in zip(chars, encoded, strict=True) if in_encoding(f"?{char}", encoding) != f"?{code}"
    ]
    assert len(others) == _OTHER_TABLES.get(encoding, 0)
