"""What has expired of uploaded lists of all tenants is deleted from the data folder."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wavecrawl.adapters.list_names import upload_name
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.lists.state import ListState
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.url_lists import UrlList, copy_name

NOW = 1_700_000_000.0
DAY = 86_400.0
CRAWL = CrawlId(tenant="t", site="example.com-1", crawl="20261128-080000-aaaaaaaa")


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> Iterator[LocalStore]:
    with closing(LocalStore(tmp_path)) as store:
        yield store


def add(store: LocalStore, tenant: str, list_: str, expires_at: float) -> None:
    row = UrlList(tenant=tenant, list=list_, state=ListState.READY, urls=1, created_at=NOW, expires_at=expires_at)
    store.url_lists.create(row)
    store.url_lists.store(tenant, list_, [f"https://{tenant}.example/"])


def upload(store: LocalStore, tenant: str, list_: str, *, at: float) -> Path:
    path = store.root / upload_name(tenant, list_)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"https://a.example/\n")
    os.utime(path, (at, at))
    return path


def copy_of(objects: Objects) -> bytes | None:
    return objects.get(CRAWL, copy_name("old"))


def test_expired_lists_of_all_tenants_are_deleted_and_copies_of_crawls_stay(store: LocalStore) -> None:
    for tenant in ("t", "u"):
        add(store, tenant, "old", NOW - 1.0)
        add(store, tenant, "new", NOW + 1.0)
        add(store, tenant, "held", 0.0)
    assert store.url_lists.give("t", "old", CRAWL)
    store.url_lists.delete_expired(NOW)
    left = [(row.tenant, row.list) for tenant in ("t", "u") for row in store.url_lists.of_tenant(tenant)]
    assert left == [("t", "held"), ("t", "new"), ("u", "held"), ("u", "new")]
    files = sorted(path.name for path in store.root.glob("tenants/*/lists/*"))
    assert files == ["held.txt.gz", "held.txt.gz", "new.txt.gz", "new.txt.gz"]
    assert copy_of(store.objects) == b"https://t.example/\n"


def test_uploads_are_deleted_after_a_day_even_if_their_list_was_deleted_before(store: LocalStore) -> None:
    store.url_lists.delete_expired(NOW)
    old, new = upload(store, "t", "list-1", at=NOW - DAY - 1.0), upload(store, "u", "list-2", at=NOW - DAY + 1.0)
    store.url_lists.delete_expired(NOW)
    assert (old.exists(), new.exists()) == (False, True)
