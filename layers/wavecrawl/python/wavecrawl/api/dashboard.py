"""The dashboard: static files at `/` and `/assets/`, for everyone. Its data come from the API, with an API key."""

import base64
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

BUNDLE: Final = Path(__file__).parents[1] / "dashboard_files"
"""The folder with the built files. `make dashboard` builds it from `dashboard/`."""

_ASSETS: Final = "/assets/"
_TYPES: Final = MappingProxyType(
    {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
)
_HTML: Final = "text/html; charset=utf-8"
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))  # the build compresses each file; the first one accepted is sent

_FOR_EVER: Final = "public, max-age=31536000, immutable"  # a name contains the hash of the content
_HEADERS: Final = MappingProxyType(
    {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "x-robots-tag": "noindex",
        "vary": "accept-encoding",
    }
)
_NOT_BUILT: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>wavecrawl</title></head>
<body><h1>The dashboard is not built</h1>
<p>The API works: see <a href="/docs">its documentation</a>. To build the dashboard, run this command in the
folder of the repository, then reload this page:</p>
<pre>make dashboard</pre></body></html>
"""


class Dashboard:
    """Responds to requests for the dashboard.

    `download_url` returns any signed URL: the browser may also load files from its origin.
    """

    def __init__(self, download_url: Callable[[], str], bundle: Path = BUNDLE) -> None:
        self._download_url = download_url
        self._bundle = bundle

    def response(self, event: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the response to an event of an HTTP API, None if the request is not for the dashboard."""
        method, path = event["requestContext"]["http"]["method"], event["rawPath"]
        if method not in ("GET", "HEAD") or not (path == "/" or path.startswith(_ASSETS)):
            return None
        sent = {name.lower(): value for name, value in event.get("headers", {}).items()}
        found = self._page(sent) if path == "/" else self._asset(path.removeprefix(_ASSETS), sent)
        if method == "HEAD":
            found["body"] = ""
        return found

    def _page(self, sent: Mapping[str, str]) -> dict[str, Any]:
        headers = {"content-type": _HTML, "cache-control": "no-cache", "content-security-policy": self._policy()}
        page = self._bundle / "index.html"
        if not page.is_file():  # looked for again at each request: it may have been built since
            return _answer(HTTPStatus.OK, _NOT_BUILT.encode(), headers)
        file, encoding = _variant(page, sent.get("accept-encoding", ""))
        body = file.read_bytes()
        tag = f'"{sha256(body).hexdigest()[:32]}"'
        headers |= encoding | {"etag": tag}
        known = {one.strip().removeprefix("W/") for one in sent.get("if-none-match", "").split(",")}
        return _answer(HTTPStatus.NOT_MODIFIED, b"", headers) if tag in known else _answer(HTTPStatus.OK, body, headers)

    def _asset(self, name: str, sent: Mapping[str, str]) -> dict[str, Any]:
        asset = next((file for file in (self._bundle / "assets").glob("*") if file.name == name), None)
        kind = _TYPES.get(asset.suffix) if asset else None
        if asset is None or kind is None:
            return _answer(HTTPStatus.NOT_FOUND, b"", {"cache-control": "no-store"})
        file, encoding = _variant(asset, sent.get("accept-encoding", ""))
        return _answer(HTTPStatus.OK, _content(file), {"content-type": kind, "cache-control": _FOR_EVER, **encoding})

    def _policy(self) -> str:
        url = urlsplit(self._download_url())
        own = f"'self' {url.scheme}://{url.netloc}"
        return (
            f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {own} data:; "
            f"media-src {own}; connect-src {own}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )


def _variant(file: Path, accepted: str) -> tuple[Path, dict[str, str]]:
    """Return the file in an encoding that the client accepts, and the header that names it (RFC 9110 12.5.3)."""
    names = {name for name, _, weight in map(_parted, accepted.lower().split(",")) if weight != "q=0"}
    for encoding, suffix in _ENCODINGS:
        compressed = file.with_name(file.name + suffix)
        if encoding in names and compressed.is_file():
            return compressed, {"content-encoding": encoding}
    return file, {}


def _parted(text: str) -> tuple[str, str, str]:
    return text.replace(" ", "").partition(";")


@cache
def _content(asset: Path) -> bytes:
    """Return the content of an asset, which never changes."""
    return asset.read_bytes()


def _answer(status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    return {
        "statusCode": status.value,
        "headers": {**_HEADERS, **headers},
        "body": base64.b64encode(body).decode(),
        "isBase64Encoded": True,
    }
