"""A site of which scripts make a part, and a browser that knows what they make.

`/app/*` are shells: their links and texts are in the DOM only. `/item-*` are complete, although they look like the
pages of an application. `/broken` cannot be rendered. `/plain/*` are ordinary pages.
"""

import json
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace
from tests.support.fake_browser import JPEG, FakeBrowser

from wavecrawl.demo.model import Page, Site
from wavecrawl.ports.browser import RenderedPage, RenderRequest

NAMES: Final = ("home", "cart", "help", "login", "search", "orders", "stores", "team", "terms")
ITEMS: Final = 24
PROBLEM: Final = "the page was not complete after 60 s"
APP: Final = tuple(f"/app/{name}" for name in NAMES)
"""The shells whose links only a browser finds. Each leads to the next, and to a plain page."""

_TOPICS = ("harbour", "lighthouse", "meadow", "orchard", "quarry", "railway", "sawmill", "tannery", "vineyard")
_SCRIPTS = "<script src='/runtime.js'></script><script src='/app.js'></script>"
_SHELL = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>Shop</title>"
    "<meta name=viewport content='width=device-width, initial-scale=1'></head><body>"
    f"<noscript>This page does not work without scripts.</noscript><div id=root></div>{_SCRIPTS}</body></html>"
)

_FILL = """
if (made[location.pathname]) {
  const page = new DOMParser().parseFromString(made[location.pathname], 'text/html');
  document.title = page.title;
  document.getElementById('root').innerHTML = page.getElementById('root').innerHTML;
}
"""


def dom_of(path: str) -> str:
    """Return the page that a browser shows at a path."""
    if path in APP:
        number = APP.index(path)
        topic = _TOPICS[number]
        after = APP[number + 1 : number + 2]
        links = "".join(f"<a href='{target}'>{target}</a> " for target in (*after, f"/plain/{topic}", "/"))
        body = f"<h1>{topic}</h1><p>All about the {topic}: who built it, what it costs, and when it opens.</p>{links}"
        return (
            f"<html lang=en><head><title>{topic}</title></head><body><div id=root>{body}</div>{_SCRIPTS}</body></html>"
        )
    return _html_of(path)


def shell_site(*, broken: bool = True) -> Site:
    """Return the site."""
    paths = [*APP, *(f"/item-{number}" for number in range(ITEMS)), *(f"/plain/{topic}" for topic in _TOPICS)]
    paths += ["/"] + (["/broken"] if broken else [])
    return Site(pages=tuple(_page(path) for path in paths), name="Shop")


def scripted_site() -> Site:
    """Return the site with scripts that do what `shop_browser` does; none of its pages is broken."""
    made = json.dumps({path: dom_of(path) for path in APP}).replace("</", "<\\/")
    scripts = {"/runtime.js": f"const made = {made};", "/app.js": _FILL}
    pages = [Page(path=path, content_type="text/javascript", body=body.encode()) for path, body in scripts.items()]
    site = shell_site(broken=False)
    return replace(site, pages=(*site.pages, *pages))


def shop_browser() -> FakeBrowser:
    """Return a browser that renders the site."""

    def scripts(request: RenderRequest) -> RenderedPage:
        path = urlsplit(request.url).path
        if path == "/broken":
            return RenderedPage(url=request.url, problem=PROBLEM)
        return RenderedPage(html=dom_of(path), url=request.url, screenshot=JPEG if request.screenshot else b"")

    return FakeBrowser(scripts)


def _page(path: str) -> Page:
    html = _SHELL if path in APP or path == "/broken" else _html_of(path)
    return Page(path=path, body=html.encode(), etag=f'"{path}"')


def _html_of(path: str) -> str:
    if path == "/":
        targets = [APP[0], "/broken", "/plain/harbour", *(f"/item-{number}" for number in range(0, ITEMS, 2))]
        return f"<html><head><title>Shop</title></head><body><h1>Shop</h1>{_linked(targets)}</body></html>"
    if path.startswith("/item-"):
        number = int(path.removeprefix("/item-"))
        words = f"Item {number}: a {_TOPICS[number % 9]} in a box, {number} times as heavy as it looks, and never sold."
        content = f"<h1>Item {number}</h1><p>{words}</p>{_linked([f'/item-{number | 1}'])}"
        return f"<html><head><title>Item {number}</title></head><body><div id=__next>{content}</div>{_SCRIPTS}</body>"
    return f"<html><head><title>{path}</title></head><body><h1>{path}</h1><p>A page without scripts.</p></body></html>"


def _linked(targets: list[str]) -> str:
    return "".join(f"<p><a href='{target}'>{target}</a></p>" for target in targets)
