"""Assets are stored once per tenant, and an asset that can be read has its file, whatever happens at the same time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from moto import mock_aws
from msgspec import structs
from tests.contract.stores import moto_clients
from tests.support.emulator import new_bucket, new_table
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.media_assets import AwsMediaAssets
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.embedded.downloads import DOWNLOADS
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.media.asset import Asset, DocumentFacts
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.exports import LIFETIME
from wavecrawl.ports.media_assets import TEXT_SHOWN, StoredAsset

URL = "https://example.com/a.png"
NOW = 1_700_000_000.5
CONTENT = b"the picture"


def an_asset(name: str = "a", kind: MediaKind = MediaKind.IMAGE, media_type: str = "image/png") -> Asset:
    return Asset(
        hash=sha256(name.encode()).hexdigest(), kind=kind, media_type=media_type, extension=media_type[-3:],
        bytes=20, stored_bytes=len(CONTENT), width=3, height=2, problem="a problem",
    )  # fmt: skip


PICTURE = an_asset()
DOCUMENT = structs.replace(
    an_asset("b", MediaKind.DOCUMENT, "application/pdf"),
    document=DocumentFacts(
        title="T", author="A", pages=3, text="x" * TEXT_SHOWN, markdown="*" * TEXT_SHOWN, problem="P"
    ),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "downloaded"
    path.write_bytes(CONTENT)
    return path


def test_an_asset_comes_back_as_it_was(stores: Ports, file: Path) -> None:
    assert stores.media.put("t", PICTURE, file, url=URL, now=NOW)
    assert stores.media.put("t", DOCUMENT, file, url=URL, now=NOW)
    assert stores.media.read("t", PICTURE.hash) == StoredAsset(asset=PICTURE, first_url=URL, stored_at=NOW)
    assert stores.media.read("t", DOCUMENT.hash) == StoredAsset(asset=DOCUMENT, first_url=URL, stored_at=NOW)
    assert stores.media.open("t", PICTURE.hash) == CONTENT
    assert file.read_bytes() == CONTENT


def test_an_asset_is_stored_once(stores: Ports, file: Path) -> None:
    stores.media.put("t", PICTURE, file, url=URL, now=NOW)
    file.write_bytes(b"something else")
    assert not stores.media.put("t", PICTURE, file, url="https://other.example/", now=NOW + 1)
    assert stores.media.read("t", PICTURE.hash) == StoredAsset(asset=PICTURE, first_url=URL, stored_at=NOW)
    assert stores.media.open("t", PICTURE.hash) == CONTENT


def test_a_long_text_is_shortened(stores: Ports, file: Path) -> None:
    assert DOCUMENT.document is not None
    whole = structs.replace(DOCUMENT.document, text="x" * 1_000_000, markdown="*" * 1_000_000)
    long = structs.replace(DOCUMENT, document=whole)
    stores.media.put("t", long, file, url=URL, now=NOW)
    found = stores.media.read("t", long.hash)
    assert found is not None
    assert found.asset == DOCUMENT


def test_tenants_have_their_own(stores: Ports, file: Path) -> None:
    stores.media.put("t", PICTURE, file, url=URL, now=NOW)
    for other in ("u", "tt", ""):
        assert stores.media.read(other, PICTURE.hash) is None
        assert stores.media.open(other, PICTURE.hash) is None
        assert stores.media.signed_url(other, PICTURE.hash) is None
        assert list(stores.media.list(other)) == []
        assert not stores.media.delete(other, PICTURE.hash)
    assert stores.media.put("u", PICTURE, file, url=URL, now=NOW)
    assert stores.media.delete("u", PICTURE.hash)
    assert stores.media.open("t", PICTURE.hash) == CONTENT


@pytest.mark.parametrize("hash_", ["", "0" * 64, "../../..", PICTURE.hash[:-1], PICTURE.hash.upper(), "é"])
def test_an_unknown_hash_names_nothing(stores: Ports, file: Path, hash_: str) -> None:
    stores.media.put("t", PICTURE, file, url=URL, now=NOW)
    assert stores.media.read("t", hash_) is None
    assert stores.media.open("t", hash_) is None
    assert stores.media.signed_url("t", hash_) is None
    assert not stores.media.delete("t", hash_)


def test_assets_are_listed_by_hash(stores: Ports, file: Path) -> None:
    made = [an_asset(str(number), kind) for number in range(12) for kind in (list(MediaKind)[number % 3],)]
    for asset in made:
        stores.media.put("t", asset, file, url=URL, now=NOW)
    hashes = sorted(asset.hash for asset in made)
    assert [row.asset.hash for row in stores.media.list("t")] == hashes
    assert [row.asset.hash for row in stores.media.list("t", limit=5)] == hashes[:5]
    assert [row.asset.hash for row in stores.media.list("t", after=hashes[4], limit=3)] == hashes[5:8]
    assert list(stores.media.list("t", after=hashes[-1])) == []
    assert list(stores.media.list("t", limit=0)) == []
    videos = sorted(asset.hash for asset in made if asset.kind is MediaKind.VIDEO)
    assert len(videos) == 4
    assert [row.asset.hash for row in stores.media.list("t", kind=MediaKind.VIDEO)] == videos
    assert [row.asset.hash for row in stores.media.list("t", kind=MediaKind.VIDEO, limit=2)] == videos[:2]


def test_an_asset_is_deleted_once_and_can_be_stored_again(stores: Ports, file: Path) -> None:
    stores.media.put("t", PICTURE, file, url=URL, now=NOW)
    assert stores.media.delete("t", PICTURE.hash)
    assert not stores.media.delete("t", PICTURE.hash)
    assert stores.media.read("t", PICTURE.hash) is None
    assert stores.media.open("t", PICTURE.hash) is None
    assert stores.media.signed_url("t", PICTURE.hash) is None
    assert list(stores.media.list("t")) == []
    file.write_bytes(b"again")
    assert stores.media.put("t", PICTURE, file, url=URL, now=NOW + 1)
    assert stores.media.open("t", PICTURE.hash) == b"again"


def test_of_many_that_store_the_same_content_one_does(another: Callable[[], Ports], tmp_path: Path) -> None:
    files = []
    for number in range(8):
        files.append(tmp_path / f"download-{number}")
        files[-1].write_bytes(CONTENT)
    views = [another().media for _ in range(8)]
    together = Barrier(8, timeout=HANG)

    def store(number: int) -> bool:
        together.wait()
        return views[number].put("t", PICTURE, files[number], url=URL, now=NOW)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(store, range(8)))
    assert made.count(True) == 1
    assert [row.asset for row in views[0].list("t")] == [PICTURE]
    assert views[0].open("t", PICTURE.hash) == CONTENT


def test_stored_and_deleted_at_the_same_time_no_asset_is_without_its_file(
    another: Callable[[], Ports], file: Path
) -> None:
    views = [another().media for _ in range(4)]
    together = Barrier(4, timeout=HANG)

    def work(number: int) -> list[str]:
        lost = []
        for _ in range(6):
            together.wait()
            if number % 2:
                views[number].delete("t", PICTURE.hash)
            else:
                views[number].put("t", PICTURE, file, url=URL, now=NOW)
            together.wait()
            if views[number].read("t", PICTURE.hash) and views[number].open("t", PICTURE.hash) != CONTENT:
                lost.append("a row without its file")
        return lost

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [[]] * 4


def test_a_file_of_the_folder_is_downloaded_by_its_signed_url(tmp_path: Path, file: Path) -> None:
    store = LocalStore(tmp_path / "data")
    svg = an_asset("s", media_type="image/svg+xml")
    shown = {}
    for asset in (PICTURE, DOCUMENT, svg):
        store.media.put("t", asset, file, url=URL, now=NOW)
        url = store.media.signed_url("t", asset.hash)
        assert url is not None
        found = store.downloads.download(urlsplit(url).path.removeprefix(DOWNLOADS))
        assert found.path.read_bytes() == CONTENT
        shown[found.content_type] = found.disposition
    store.close()
    assert shown == {
        "image/png": f'inline; filename="{PICTURE.hash}.png"',
        "application/pdf": f'attachment; filename="{DOCUMENT.hash}.pdf"',
        "image/svg+xml": f'attachment; filename="{svg.hash}.xml"',
    }
    folders = sorted(path.relative_to(tmp_path / "data").parent.as_posix() for path in tmp_path.rglob(f"{'?' * 64}.*"))
    assert folders == ["tenants/t/media/documents", "tenants/t/media/images", "tenants/t/media/images"]


def test_a_file_that_is_stored_again_during_its_deletion_stays(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleting, storing = LocalStore(tmp_path / "data"), LocalStore(tmp_path / "data")
    deleting.media.put("t", PICTURE, file, url=URL, now=NOW)
    real = deleting.media._rows.delete

    def delete(*key: object) -> bool:
        deleted = real(*key)
        assert storing.media.put("t", PICTURE, file, url=URL, now=NOW)
        return deleted

    monkeypatch.setattr(deleting.media._rows, "delete", delete)
    assert deleting.media.delete("t", PICTURE.hash)
    assert storing.media.open("t", PICTURE.hash) == CONTENT
    deleting.close()
    storing.close()


@pytest.fixture
def aws(file: Path) -> Iterator["Aws"]:
    with mock_aws():
        yield Aws(file)


class Aws:
    """Assets over moto, one of whose requests can be stopped before or after it is made."""

    def __init__(self, file: Path) -> None:
        clients = moto_clients()
        self.s3 = clients.s3
        self.clock = StillClock()
        self.file = file
        self.table, self.bucket = new_table(clients), new_bucket(clients)
        self.dynamodb = clients.dynamodb
        self.assets = self.another()

    def another(self, s3: Any = None) -> AwsMediaAssets:
        table = Table(self.dynamodb, self.table)
        return AwsMediaAssets(table, s3 or self.s3, self.bucket, self.clock, sleep=lambda _: None)

    def put(self, assets: AwsMediaAssets | None = None) -> bool:
        return (assets or self.assets).put("t", PICTURE, self.file, url=URL, now=NOW)

    def objects(self) -> list[str]:
        return [entry["Key"] for entry in self.s3.list_objects_v2(Bucket=self.bucket).get("Contents", [])]


class DiedError(Exception):
    """A function that was ended."""


class Dying:
    """A client of S3 whose function ends before or after one operation."""

    def __init__(self, s3: Any, operation: str, *, after: bool) -> None:
        self._s3, self._operation, self._after = s3, operation, after

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._s3, name)

        def call(**request: Any) -> Any:
            if name == self._operation and not self._after:
                raise DiedError
            response = real(**request)
            if name == self._operation:
                raise DiedError
            return response

        return call


@pytest.mark.parametrize("after", [False, True])
def test_what_a_function_leaves_that_dies_while_storing_is_completed(aws: Aws, *, after: bool) -> None:
    with pytest.raises(DiedError):
        aws.put(aws.another(Dying(aws.s3, "put_object", after=after)))
    assert aws.assets.read("t", PICTURE.hash) is None
    assert list(aws.assets.list("t")) == []
    assert aws.assets.signed_url("t", PICTURE.hash) is None
    assert not aws.assets.delete("t", PICTURE.hash)
    assert aws.put()
    assert aws.assets.open("t", PICTURE.hash) == CONTENT


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("then", ["put", "delete"])
def test_a_deletion_that_dies_is_completed_when_it_cannot_go_on(aws: Aws, *, after: bool, then: str) -> None:
    aws.put()
    with pytest.raises(DiedError):
        aws.another(Dying(aws.s3, "delete_objects", after=after)).delete("t", PICTURE.hash)
    assert aws.assets.read("t", PICTURE.hash) is None
    assert not aws.assets.delete("t", PICTURE.hash)
    with pytest.raises(StoreBusyError, match="is being deleted"):
        aws.put()
    aws.clock.time += 901
    if then == "delete":
        assert not aws.assets.delete("t", PICTURE.hash)
        assert aws.objects() == []
    assert aws.put()
    assert aws.assets.open("t", PICTURE.hash) == CONTENT


def test_while_an_object_is_deleted_its_asset_cannot_be_stored(aws: Aws) -> None:
    """The order that would lose a file: its row deleted, an equal asset stored, then its object deleted."""
    aws.put()
    outcome: list[object] = []

    class Meanwhile:
        def __getattr__(self, name: str) -> Any:
            return getattr(aws.s3, name)

        def delete_objects(self, **request: Any) -> Any:
            try:
                outcome.append(aws.put())
            except StoreBusyError as error:
                outcome.append(error)
            return aws.s3.delete_objects(**request)

    assert aws.another(Meanwhile()).delete("t", PICTURE.hash)
    assert [type(found) for found in outcome] == [StoreBusyError]
    assert aws.assets.read("t", PICTURE.hash) is None
    assert aws.put()
    assert aws.assets.open("t", PICTURE.hash) == CONTENT


def test_an_asset_that_another_worker_stores_and_deletes_meanwhile_is_stored(aws: Aws) -> None:
    states: list[bool] = []

    class Meanwhile:
        def __getattr__(self, name: str) -> Any:
            return getattr(aws.s3, name)

        def put_object(self, **request: Any) -> Any:
            if not states:
                states.extend((aws.put(), aws.assets.delete("t", PICTURE.hash)))
            return aws.s3.put_object(**request)

    assert aws.put(aws.another(Meanwhile()))
    assert states == [True, True]
    assert aws.assets.open("t", PICTURE.hash) == CONTENT


def test_a_signed_url_of_s3_names_type_and_file(aws: Aws) -> None:
    svg = an_asset("s", media_type="image/svg+xml")
    aws.assets.put("t", svg, aws.file, url=URL, now=NOW)
    url = urlsplit(aws.assets.signed_url("t", svg.hash) or "")
    values = parse_qs(url.query)
    assert url.path.endswith(f"/tenants/t/media/images/{svg.hash}.xml")
    assert values["X-Amz-Expires"] == [str(LIFETIME)]
    assert values["response-content-type"] == ["image/svg+xml"]
    assert values["response-content-disposition"] == [f'attachment; filename="{svg.hash}.xml"']
    head = aws.s3.head_object(Bucket=aws.bucket, Key=f"tenants/t/media/images/{svg.hash}.xml")
    assert (head["ContentType"], head["ContentDisposition"]) == (
        "image/svg+xml",
        f'attachment; filename="{svg.hash}.xml"',
    )
