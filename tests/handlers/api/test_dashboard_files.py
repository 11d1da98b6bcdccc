"""The files of the dashboard: who gets which, with which headers."""

import base64
import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import request
from tests.support.functions import Context, Deployment

from wavecrawl.api.dashboard import Dashboard

PAGE = b"<!doctype html><title>wavecrawl</title>"
SCRIPT = b"console.log('tides');"
ORIGIN = "https://bucket.s3.eu-central-1.amazonaws.com"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    f"img-src 'self' {ORIGIN} data:; media-src 'self' {ORIGIN}; connect-src 'self' {ORIGIN}; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@pytest.fixture(name="bundle")
def a_bundle(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    for name, content in (("index.html", PAGE), ("assets/index-B1a2.js", SCRIPT), ("assets/notes.txt", b"no asset")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
        (tmp_path / f"{name}.br").write_bytes(b"brotli of " + content)
    (tmp_path / "secret.js").write_bytes(b"not below assets/")
    return tmp_path


def answered(
    bundle: Path, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET"
) -> dict[str, Any] | None:
    dashboard = Dashboard(lambda: f"{ORIGIN}/tenants/t/report.html?X-Amz-Signature=1", bundle)
    return dashboard.response(request(method, path, headers=headers))


def got(bundle: Path, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, Mapping[str, str], bytes]:
    answer = answered(bundle, path, headers)
    assert answer is not None
    return answer["statusCode"], answer["headers"], base64.b64decode(answer["body"])


def test_the_page_is_asked_for_again_each_time(bundle: Path) -> None:
    status, headers, body = got(bundle, "/")
    assert (status, body, headers["content-type"], headers["cache-control"]) == (
        200,
        PAGE,
        "text/html; charset=utf-8",
        "no-cache",
    )
    known = {"if-none-match": f'"other", {headers["etag"]}'}
    assert got(bundle, "/", known)[::2] == (304, b"")


def test_the_page_may_load_files_of_the_service_and_its_downloads_only(bundle: Path) -> None:
    headers = got(bundle, "/")[1]
    assert headers["content-security-policy"] == POLICY
    assert {name: headers[name] for name in ("x-content-type-options", "referrer-policy", "x-frame-options")} == {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
    }
    assert headers["cross-origin-opener-policy"] == "same-origin"


def test_an_asset_is_kept_for_ever(bundle: Path) -> None:
    status, headers, body = got(bundle, "/assets/index-B1a2.js")
    assert (status, body) == (200, SCRIPT)
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "encoding", "content"),
    [
        ("gzip, deflate, br", "br", b"brotli of " + SCRIPT),
        ("gzip;q=1.0, br;q=0", "gzip", gzip.compress(SCRIPT, mtime=0)),
        ("deflate", None, SCRIPT),
        ("", None, SCRIPT),
    ],
    ids=["br", "gzip", "neither", "not said"],
)
def test_a_file_is_sent_compressed_as_the_client_accepts_it(
    bundle: Path, accepted: str, encoding: str | None, content: bytes
) -> None:
    _, headers, body = got(bundle, "/assets/index-B1a2.js", {"accept-encoding": accepted})
    assert (headers.get("content-encoding"), headers["vary"]) == (encoding, "accept-encoding")
    assert body == content


@pytest.mark.parametrize(
    "name", ["none.js", "notes.txt", "../secret.js", "%2e%2e/secret.js", "..", "", "index-B1a2.js.br", "*", "\0"]
)
def test_nothing_else_can_be_read(bundle: Path, name: str) -> None:
    status, headers, body = got(bundle, f"/assets/{name}")
    assert (status, body, headers["cache-control"]) == (404, b"", "no-store")


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("GET", "/v1/crawls"), ("GET", "/health"), ("GET", "/a")])
def test_other_requests_are_for_the_api(bundle: Path, method: str, path: str) -> None:
    assert answered(bundle, path, method=method) is None


def test_a_head_request_gets_the_headers_alone(bundle: Path) -> None:
    answer = answered(bundle, "/", method="HEAD")
    assert answer is not None
    assert (answer["statusCode"], answer["body"]) == (200, "")


def test_without_a_bundle_a_page_names_the_command_that_builds_it(tmp_path: Path, bundle: Path) -> None:
    status, headers, body = got(tmp_path / "nothing", "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<pre>make dashboard</pre>" in body
    assert "etag" not in headers
    assert got(bundle, "/")[2] == PAGE


def test_the_function_of_the_api_serves_it_to_everyone(stack: Deployment) -> None:
    function = stack.load("api")
    event = request("GET", "/")
    del event["headers"]["authorization"]
    answer = function.handler(event, Context())
    assert answer["statusCode"] == 200
    policy = answer["headers"]["content-security-policy"]
    assert f"https://{function.cloud.settings.bucket}.s3" in policy
    assert "unsafe" not in policy
