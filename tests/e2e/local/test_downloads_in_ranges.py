"""Downloads by signed URL on `serve`: HEAD, ranges of bytes, and files that change between two ranges."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import requests
from tests.support.patience import HANG
from tests.support.serving import answering

from wavecrawl.adapters.embedded.downloads import Download
from wavecrawl.api.downloads import downloads
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.errors import NotFoundError

SIZE = 300_000  # bytes: more than the server sends at once


@pytest.fixture(name="content")
def the_content() -> bytes:
    return bytes(number % 251 for number in range(SIZE))


@pytest.fixture(name="url")
def the_url(tmp_path: Path, content: bytes) -> Iterator[str]:
    path = tmp_path / "crawl.wacz"
    path.write_bytes(content)

    def find(token: str) -> Download:
        if token != "token":
            raise NotFoundError("this download does not exist")
        etag = f'"{path.stat().st_mtime_ns}"'
        return Download(path=path, bytes=SIZE, content_type="application/wacz", disposition="attachment", etag=etag)

    with (
        closing(LocalStore(tmp_path / "data")) as store,
        answering(store, ServerLimits(), downloads(find)) as (address, _),
    ):
        yield f"{address}/v1/downloads/token"


def get(url: str, **headers: str) -> requests.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.get(url, headers=sent | {"accept-encoding": "identity"}, timeout=HANG)


def test_a_download_can_be_requested_in_ranges(url: str, content: bytes) -> None:
    whole = get(url)
    assert (whole.status_code, whole.content, whole.headers["accept-ranges"]) == (200, content, "bytes")
    for asked, span in (("0-0", (0, 1)), ("100000-299998", (100_000, 299_999)), ("-10", (SIZE - 10, SIZE))):
        part = get(url, range=f"bytes={asked}")
        assert (part.status_code, part.content) == (206, content[slice(*span)])
        assert part.headers["content-range"] == f"bytes {span[0]}-{span[1] - 1}/{SIZE}"
        assert part.headers["content-length"] == str(span[1] - span[0])
    assert get(url, range="bytes=9-1").content == content
    assert get(url, range="bytes=0-1,5-6").status_code == 200


def test_a_range_beyond_the_file_is_refused(url: str) -> None:
    refused = get(url, range=f"bytes={SIZE}-")
    assert (refused.status_code, refused.headers["content-range"]) == (416, f"bytes */{SIZE}")


def test_head_has_the_headers_without_the_file(url: str) -> None:
    with requests.Session() as session:
        for _ in range(2):  # the connection stays usable
            head = session.head(url, headers={"range": "bytes=0-1"}, timeout=HANG)
            assert (head.status_code, head.content) == (200, b"")
            assert (head.headers["content-length"], head.headers["accept-ranges"]) == (str(SIZE), "bytes")
        assert session.head(url.replace("token", "no"), timeout=HANG).status_code == 404


def test_a_range_of_another_file_is_the_whole_file(url: str, content: bytes) -> None:
    etag = get(url).headers["etag"]
    assert get(url, range="bytes=0-1", if_range=etag).content == content[:2]
    changed = get(url, range="bytes=0-1", if_range='"other"')
    assert (changed.status_code, changed.content) == (200, content)
