"""Exports are listed in the same way in a folder and in S3. Signed URLs are tested per adapter."""

from collections.abc import Callable, Iterator
from errno import ENOSPC
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws
from msgspec.structs import replace
from tests.contract.stores import moto_clients
from tests.support.emulator import new_bucket
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.exports import S3Exports
from wavecrawl.adapters.aws.local_copies import LocalCopies
from wavecrawl.adapters.embedded.downloads import DOWNLOADS, EXPORTS, SCREENSHOTS, Downloads
from wavecrawl.adapters.embedded.exports import FolderExports
from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.adapters.part_objects import part_name
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import NotFoundError, StoreBusyError, TooLargeError
from wavecrawl.ports.exports import LIFETIME, Export, Exports
from wavecrawl.ports.parts import Table

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEY = b"not a secret: a key of tests"
BASE = "http://127.0.0.1:8787"
FILES = {"a.csv": b"a,b\n", "sub/b.json": b"{}", "summary.json": b"{1}", "crawl.wacz": b"PK"}


@pytest.fixture(name="downloads")
def signed_urls(tmp_path: Path, clock: StillClock) -> Downloads:
    return Downloads(tmp_path, signing_key=KEY, clock=clock, base_url=BASE)


@pytest.fixture(name="local")
def a_folder(tmp_path: Path, crawl: CrawlId, downloads: Downloads) -> FolderExports:
    _written(crawl_folder(tmp_path, crawl) / "exports")
    return FolderExports(tmp_path, downloads)


@pytest.fixture(name="bucket")
def a_bucket(tmp_path: Path, crawl: CrawlId) -> Iterator[str]:
    with mock_aws():
        name = new_bucket(moto_clients())
        _written(tmp_path / "to-publish")
        S3Exports(moto_clients().s3, name).publish(crawl, tmp_path / "to-publish")
        yield name


@pytest.fixture(name="exports", params=["local", "s3"])
def some_exports(request: pytest.FixtureRequest) -> Exports:
    if request.param == "local":
        local: FolderExports = request.getfixturevalue("local")
        return local
    return S3Exports(moto_clients().s3, request.getfixturevalue("bucket"))


class Uploads:
    """A stand-in for S3: an upload completes once another one has started, except the summary's."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._together = Barrier(2, timeout=HANG)

    def put_object(self, *, Key: str, **_: object) -> dict[str, str]:  # noqa: N803 - S3's own name
        if not Key.endswith("summary.json"):
            self._together.wait()
        self.keys.append(Key.rpartition("/")[2])
        return {"ETag": '"1"'}


def test_files_are_uploaded_side_by_side_and_the_summary_last(tmp_path: Path, crawl: CrawlId) -> None:
    for name in ("a.csv", "b.csv", "summary.json", "z1.csv", "z2.csv"):
        (tmp_path / name).write_bytes(b"x")
    s3 = Uploads()
    S3Exports(cast("S3Client", s3), "bucket").publish(crawl, tmp_path)
    assert sorted(s3.keys[:-1]) == ["a.csv", "b.csv", "z1.csv", "z2.csv"]
    assert s3.keys[-1] == "summary.json"


def test_no_summary_is_there_before_everything_is(
    tmp_path: Path, crawl: CrawlId, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(tmp_path / "again")
    client = moto_clients().s3

    def refuse(**asked: object) -> None:
        if str(asked["Key"]).endswith("summary.json"):
            raise AssertionError("the summary was uploaded before the last file")
        raise EndpointConnectionError(endpoint_url="http://s3")

    monkeypatch.setattr(client, "put_object", refuse)
    with pytest.raises(StoreBusyError, match="writing"):
        S3Exports(client, bucket).publish(crawl, tmp_path / "again")


def _written(folder: Path) -> None:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_files_are_listed_by_name_with_size_and_type(exports: Exports, crawl: CrawlId) -> None:
    assert exports.of(crawl) == [
        Export(name="a.csv", bytes=4, content_type="text/csv; charset=utf-8"),
        Export(name="crawl.wacz", bytes=2, content_type="application/wacz"),
        Export(name="sub/b.json", bytes=2, content_type="application/json"),
        Export(name="summary.json", bytes=3, content_type="application/json"),
    ]


def test_a_file_is_downloaded_if_it_exists(bucket: str, crawl: CrawlId, tmp_path: Path) -> None:
    exports = S3Exports(moto_clients().s3, bucket)
    path = exports.fetch(crawl, "a.csv", tmp_path)
    assert path == tmp_path / "a.csv"
    assert path.read_bytes() == FILES["a.csv"]
    assert exports.fetch(crawl, "b.csv", tmp_path) is None


def test_another_crawl_has_none(exports: Exports, crawl: CrawlId) -> None:
    assert exports.of(replace(crawl, crawl="c2")) == []
    assert exports.of(replace(crawl, tenant="u")) == []


def test_a_url_of_s3_names_type_and_file(bucket: str, crawl: CrawlId) -> None:
    exports = S3Exports(moto_clients().s3, bucket)
    asked = parse_qs(urlsplit(exports.signed_url(crawl, exports.of(crawl)[2])).query)
    assert asked["X-Amz-Expires"] == [str(LIFETIME)]
    assert asked["response-content-type"] == ["application/json"]
    assert asked["response-content-disposition"] == ['attachment; filename="example.com-c1-sub-b.json"']


def token_of(exports: FolderExports, crawl: CrawlId, place: int = 0) -> str:
    url = exports.signed_url(crawl, exports.of(crawl)[place])
    assert url.startswith(BASE + DOWNLOADS)
    return url.removeprefix(BASE + DOWNLOADS)


def test_a_local_url_is_good_for_its_file_and_its_time(
    local: FolderExports, downloads: Downloads, crawl: CrawlId, clock: StillClock
) -> None:
    token = token_of(local, crawl, place=2)
    clock.time += LIFETIME
    found = downloads.download(token)
    assert (found.path.read_bytes(), found.bytes, found.content_type) == (b"{}", 2, "application/json")
    assert found.disposition == 'attachment; filename="example.com-c1-sub-b.json"'
    clock.time += 1
    with pytest.raises(NotFoundError):
        downloads.download(token)


def _flipped(token: str, place: int) -> str:
    return token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]


@pytest.mark.parametrize(
    "forged",
    [
        lambda token: _flipped(token, 3),
        lambda token: _flipped(token, token.index(".") + 1),
        lambda token: token.partition(".")[0],
        lambda token: token.partition(".")[0] + ".",
        lambda _: "",
        lambda _: "..",
        lambda _: "\u00e4.\u00e4",
        lambda _: "../../../wavecrawl.sqlite",
    ],
)
def test_a_token_that_was_changed_is_worth_nothing(
    local: FolderExports, downloads: Downloads, crawl: CrawlId, forged: Callable[[str], str]
) -> None:
    with pytest.raises(NotFoundError):
        downloads.download(forged(token_of(local, crawl)))


def test_an_archive_is_shown_on_another_origin(tmp_path: Path, clock: StillClock, crawl: CrawlId) -> None:
    viewer = "http://127.0.0.1:8788"
    downloads = Downloads(tmp_path, signing_key=KEY, clock=clock, base_url=BASE, viewer=viewer)
    _written(crawl_folder(tmp_path, crawl) / "exports")
    exports = FolderExports(tmp_path, downloads)
    shown = {export.name: exports.viewer_url(crawl, export) for export in exports.of(crawl)}
    url = shown.pop("crawl.wacz")
    assert set(shown.values()) == {None}
    assert url is not None
    (source,) = parse_qs(urlsplit(url).query)["source"]
    assert url.startswith(f"{viewer}/?source=")
    token, name = source.removeprefix(f"{viewer}/archives/").split("/")
    assert name.endswith("crawl.wacz")
    assert downloads.download(token).path.read_bytes() == FILES["crawl.wacz"]
    clock.time += LIFETIME + 1
    with pytest.raises(NotFoundError):
        downloads.download(token)


def test_without_a_viewer_no_archive_is_shown(exports: Exports, crawl: CrawlId) -> None:
    found = exports.of(crawl)
    assert "crawl.wacz" in {export.name for export in found}
    assert {exports.viewer_url(crawl, export) for export in found} == {None}


def test_a_token_of_another_key_is_worth_nothing(
    downloads: Downloads, local: FolderExports, crawl: CrawlId, tmp_path: Path, clock: StillClock
) -> None:
    assert local.of(crawl) != []
    other = FolderExports(tmp_path, Downloads(tmp_path, signing_key=b"another", clock=clock, base_url=BASE))
    with pytest.raises(NotFoundError):
        downloads.download(token_of(other, crawl))


def test_a_file_that_is_gone_cannot_be_downloaded(
    local: FolderExports, downloads: Downloads, crawl: CrawlId, tmp_path: Path
) -> None:
    token = token_of(local, crawl)
    (crawl_folder(tmp_path, crawl) / "exports" / "a.csv").unlink()
    with pytest.raises(NotFoundError):
        downloads.download(token)


def test_copies_are_kept_while_there_is_room(bucket: str, crawl: CrawlId, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    copies = LocalCopies(moto_clients().s3, bucket, folder=folder, most_bytes=6)
    first, missing = copies.exports([(crawl, "a.csv"), (crawl, "nothing.csv")])
    assert first is not None
    assert (first.read_bytes(), missing) == (FILES["a.csv"], None)
    (second,) = copies.exports([(crawl, "sub/b.json")])
    assert second is not None
    assert first.exists()
    (third,) = copies.exports([(crawl, "crawl.wacz")])
    assert third is not None
    assert (first.exists(), second.exists(), third.exists()) == (False, True, True)


def test_a_copy_is_that_of_the_present_export(bucket: str, crawl: CrawlId, tmp_path: Path) -> None:
    """Results can be made again, and deleted with their crawl."""
    s3, key = moto_clients().s3, f"tenants/t/sites/{crawl.site}/crawls/c1/exports/a.csv"
    copies = LocalCopies(s3, bucket, folder=tmp_path / "copies", most_bytes=6)
    (copy,) = copies.exports([(crawl, "a.csv")])
    assert copy is not None
    copy.write_bytes(b"here")
    assert copies.exports([(crawl, "a.csv")]) == [copy]
    assert copy.read_bytes() == b"here", "what has not changed is downloaded once"
    s3.put_object(Bucket=bucket, Key=key, Body=b"again!")  # it fits only without the earlier copy
    assert copies.exports([(crawl, "a.csv")]) == [copy]
    assert copy.read_bytes() == b"again!"
    s3.delete_object(Bucket=bucket, Key=key)
    assert copies.exports([(crawl, "a.csv")]) == [None]
    assert not copy.exists()


def test_copies_of_parts_are_by_table_and_in_order(bucket: str, crawl: CrawlId, tmp_path: Path) -> None:
    stored = {(Table.URLS, 3): b"u3", (Table.PAGES, 3): b"p3", (Table.URLS, 12): b"u12"}
    for (table, number), body in stored.items():
        moto_clients().s3.put_object(Bucket=bucket, Key=part_name(crawl, table, number), Body=body)
    copies = LocalCopies(moto_clients().s3, bucket, folder=tmp_path / "copies", most_bytes=7)
    found = copies.parts(crawl, [Table.PAGES, Table.URLS], [3, 12])
    assert {table: [path.read_bytes() for path in paths] for table, paths in found.items()} == {
        Table.PAGES: [b"p3"],
        Table.URLS: [b"u3", b"u12"],
    }


def test_what_is_asked_for_together_is_never_dropped(bucket: str, crawl: CrawlId, tmp_path: Path) -> None:
    copies = LocalCopies(moto_clients().s3, bucket, folder=tmp_path / "copies", most_bytes=6)
    with pytest.raises(TooLargeError):
        copies.exports([(crawl, "a.csv"), (crawl, "summary.json")])


@pytest.mark.parametrize("folder", [EXPORTS, SCREENSHOTS, "", ".", "..", "../../../../../..", "/"])
def test_even_a_signed_name_opens_nothing_but_results(
    downloads: Downloads, crawl: CrawlId, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "signing.key").write_bytes(b"secret")
    (crawl_folder(tmp_path, crawl) / "exports").mkdir(parents=True)
    for name in (str(tmp_path / "signing.key"), "../" * 7 + "signing.key", "signing.key"):
        token = urlsplit(downloads.signed_url(crawl, name, folder=folder)).path.removeprefix(DOWNLOADS)
        with pytest.raises(NotFoundError):
            downloads.download(token)


def test_a_copy_that_breaks_off_leaves_nothing_behind(
    bucket: str, crawl: CrawlId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = LocalCopies(moto_clients().s3, bucket, folder=tmp_path / "copies", most_bytes=6)

    def full(_: Path, __: Path) -> Path:
        raise OSError(ENOSPC, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(StoreBusyError, match="no space"):
            copies.exports([(crawl, "a.csv")])
    assert [path for path in (tmp_path / "copies").rglob("*") if path.is_file()] == []
    (path,) = copies.exports([(crawl, "a.csv")])
    assert path is not None
    assert path.read_bytes() == FILES["a.csv"]
