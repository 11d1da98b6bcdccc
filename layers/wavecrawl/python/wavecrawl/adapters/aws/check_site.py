"""The check site: the pages of the deployment's own API that `wavecrawl doctor --stack NAME --crawl` crawls.

Each part of a crawl has something to find there: a tree of links, a page that only the sitemap lists, a page that a
script makes, with a link that only the script adds, an image, and a page that robots.txt denies.
"""

import base64
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

FOLDER: Final = "/check/"
ROOT: Final = f"{FOLDER}index"
DENIED: Final = f"{FOLDER}denied"
RENDERED: Final = f"{FOLDER}rendered"
BY_SCRIPT: Final = f"{FOLDER}by-script"
LISTED: Final = f"{FOLDER}listed"
IMAGE: Final = f"{FOLDER}image.gif"
HOOK: Final = f"{FOLDER}hook"
"""Accepts all messages, so that the delivery of webhooks can be checked."""

WORD: Final = "saxifrage"
"""A word of the root page, and of no other page."""

_LINKED: Final = 46  # pages that links of the HTML lead to, besides the root
PAGES: Final = _LINKED + 4
"""The number of pages, with the page that only a script links to."""

_CHILDREN: Final = 3
_GIF: Final = bytes.fromhex("47494638396101000100800000ffffff0000002c00000000010001000002024401003b")  # 1 x 1 pixel
_SCRIPT: Final = f"""document.getElementById("root").innerHTML =
  '<h1>Rendered</h1><p>This text and the link were made by a script.</p><a href="{BY_SCRIPT}">Found by the script</a>';
"""
_ROBOTS: Final = f"User-agent: *\nDisallow: /\nAllow: {FOLDER}\nAllow: /sitemap.xml\nDisallow: {DENIED}\n"
_HEADERS: Final = MappingProxyType({"x-content-type-options": "nosniff", "cache-control": "no-store"})


def response(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the response to an event of an HTTP API, None if the request is not for the check site."""
    method, path = event["requestContext"]["http"]["method"], event["rawPath"]
    if (method, path) == ("POST", HOOK):
        return {"statusCode": HTTPStatus.NO_CONTENT.value, "headers": dict(_HEADERS), "body": ""}
    if method != "GET" or not (path.startswith(FOLDER) or path in ("/robots.txt", "/sitemap.xml")):
        return None
    if path == "/sitemap.xml":
        return _answer(HTTPStatus.OK, "application/xml", _sitemap(_origin(event)).encode())
    found = _files().get(path)
    return _answer(HTTPStatus.OK, *found) if found else _answer(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")


def _origin(event: Mapping[str, Any]) -> str:
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    host = quote(headers.get("host", ""), safe=":.-[]")
    return f"{'http' if headers.get('x-forwarded-proto') == 'http' else 'https'}://{host}"


def _sitemap(origin: str) -> str:
    urls = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in (ROOT, LISTED))
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


@cache
def _files() -> Mapping[str, tuple[str, bytes]]:
    pages = {_path(number): _page(f"Page {number}", _children(number)) for number in range(1, _LINKED + 1)}
    root = [*_children(0), RENDERED]
    pages[ROOT] = _page("The check site", root, f'<img src="{IMAGE}" alt="A white pixel"><p>Its word is {WORD}.</p>')
    pages[BY_SCRIPT] = _page("Found by the script", [])
    pages[LISTED] = _page("Listed", [])
    pages[DENIED] = _page("Denied", [])
    pages[RENDERED] = _document("Loading", f'<div id="root"></div><script src="{FOLDER}app.js"></script>')
    return {
        **{path: ("text/html; charset=utf-8", text.encode()) for path, text in pages.items()},
        f"{FOLDER}app.js": ("text/javascript; charset=utf-8", _SCRIPT.encode()),
        IMAGE: ("image/gif", _GIF),
        "/robots.txt": ("text/plain; charset=utf-8", _ROBOTS.encode()),
    }


def _path(number: int) -> str:
    return f"{FOLDER}pages/{ascii_lowercase[number // 26]}{ascii_lowercase[number % 26]}"  # numbers look like a series


def _children(number: int) -> list[str]:
    first = _CHILDREN * number + 1
    return [_path(child) for child in range(first, min(first + _CHILDREN, _LINKED + 1))]


def _page(title: str, links: list[str], more: str = "") -> str:
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    text = f"<p>{title} of the site with which an operator checks a deployment of wavecrawl.</p>"
    return _document(title, f"<main><h1>{title}</h1>{text}{more}<ul>{anchors}</ul></main>")


def _document(title: str, body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'


def _answer(status: HTTPStatus, content_type: str, body: bytes) -> dict[str, Any]:
    return {
        "statusCode": status.value,
        "headers": {**_HEADERS, "content-type": content_type},
        "body": base64.b64encode(body).decode(),
        "isBase64Encoded": True,
    }
