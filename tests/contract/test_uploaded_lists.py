from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from msgspec.structs import replace
from tests.contract.stores import ministack
from tests.support.patience import HANG

from wavecrawl.application.url_list import load_urls
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.lists.state import ListState
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.url_lists import UrlList

LIST = UrlList(
    tenant="t",
    list="list-1",
    name="Products",
    bytes=120,
    state=ListState.READY,
    urls=3,
    sites=("example.com-1",),
    created_at=5.25,
    expires_at=9_000_000_000.0,
)
URLS = ("https://example.com/b", "https://example.com/a?x=1", "https://example.com/ü", "https://example.com/b")
CRAWL = CrawlId(tenant="t", site="example.com-1", crawl="20261128-080000-aaaaaaaa")


def given(stores: Ports, crawl: CrawlId = CRAWL) -> tuple[str, ...]:
    return tuple(load_urls(stores.objects, crawl, "list-1"))


def test_a_row_comes_back_as_it_was_stored(stores: Ports) -> None:
    assert stores.url_lists.read("t", "list-1") is None
    assert stores.url_lists.create(LIST)
    assert stores.url_lists.read("t", "list-1") == LIST


def test_a_row_that_exists_is_not_created_again(stores: Ports) -> None:
    stores.url_lists.create(LIST)
    assert not stores.url_lists.create(replace(LIST, name="Another"))
    assert stores.url_lists.read("t", "list-1") == LIST


def test_a_change_must_know_the_version_before_it(stores: Ports) -> None:
    stores.url_lists.create(LIST)
    changed = replace(LIST, urls=4, expires_at=0.0, version=2)
    assert stores.url_lists.update(changed)
    assert not stores.url_lists.update(replace(changed, urls=5))
    assert stores.url_lists.read("t", "list-1") == changed


def test_a_list_is_its_tenants_alone(stores: Ports) -> None:
    stores.url_lists.create(LIST)
    stores.url_lists.store("t", "list-1", URLS)
    lists = stores.url_lists
    assert lists.read("u", "list-1") is None
    assert lists.of_tenant("u") == []
    assert not lists.update(replace(LIST, tenant="u", version=2))
    assert not lists.delete("u", "list-1")
    assert not lists.give("u", "list-1", replace(CRAWL, tenant="u"))
    assert lists.read("t", "list-1") == LIST
    assert lists.give("t", "list-1", CRAWL)


def test_the_rows_of_a_tenant_are_ordered_by_id(stores: Ports) -> None:
    for name in ("list-2", "list-1", "list-3"):
        stores.url_lists.create(replace(LIST, list=name))
    stores.url_lists.create(replace(LIST, tenant="u"))
    assert [row.list for row in stores.url_lists.of_tenant("t")] == ["list-1", "list-2", "list-3"]


def test_nothing_is_uploaded_before_it_is(stores: Ports) -> None:
    stores.url_lists.create(LIST)
    assert stores.url_lists.uploaded("t", "list-1") is None


def test_a_crawl_gets_the_urls_of_a_list_in_their_order(stores: Ports) -> None:
    stores.url_lists.store("t", "list-1", URLS)
    assert stores.url_lists.give("t", "list-1", CRAWL)
    assert stores.url_lists.give("t", "list-1", CRAWL)  # as a repeated request does
    assert given(stores) == URLS


def test_a_list_that_does_not_exist_cannot_be_given(stores: Ports) -> None:
    assert not stores.url_lists.give("t", "list-1", CRAWL)


def test_the_copy_of_a_crawl_outlives_the_list(stores: Ports) -> None:
    stores.url_lists.create(LIST)
    stores.url_lists.store("t", "list-1", URLS)
    stores.url_lists.give("t", "list-1", CRAWL)
    assert stores.url_lists.delete("t", "list-1")
    assert stores.url_lists.read("t", "list-1") is None
    assert not stores.url_lists.give("t", "list-1", replace(CRAWL, crawl="20261128-080000-bbbbbbbb"))
    assert given(stores) == URLS
    assert not stores.url_lists.delete("t", "list-1")


def test_nothing_is_stored_if_the_urls_cannot_be_read(stores: Ports) -> None:
    def broken() -> Iterator[str]:
        yield "https://example.com/"
        raise InvalidInputError("line 2")

    with pytest.raises(InvalidInputError, match="line 2"):
        stores.url_lists.store("t", "list-1", broken())
    assert not stores.url_lists.give("t", "list-1", CRAWL)


@pytest.mark.parametrize("forever", [True, False])
def test_a_list_that_is_kept_can_still_be_given_and_deleted(stores: Ports, *, forever: bool) -> None:
    stores.url_lists.create(LIST)
    stores.url_lists.store("t", "list-1", URLS)
    stores.url_lists.keep("t", "list-1", forever=forever)
    assert stores.url_lists.give("t", "list-1", CRAWL)
    assert stores.url_lists.delete("t", "list-1")


def test_an_erased_crawl_has_no_list(stores: Ports) -> None:
    stores.url_lists.store("t", "list-1", URLS)
    stores.url_lists.give("t", "list-1", CRAWL)
    stores.erasure.erase(CRAWL)
    assert stores.objects.get(CRAWL, "frontier/list-1.txt") is None
    assert stores.url_lists.give("t", "list-1", CRAWL)


def test_s3_takes_a_file_of_the_named_size_by_the_upload_url(tmp_path: Path) -> None:
    with ministack(tmp_path) as another:
        stores = another()
        url = stores.url_lists.upload_url(replace(LIST, bytes=21))
        assert requests.put(url, data=b"https://example.com/ab\n", timeout=HANG).status_code == 403
        assert stores.url_lists.uploaded("t", "list-1") is None
        assert requests.put(url, data=b"https://example.com/\n", timeout=HANG).status_code == 200
        pieces = stores.url_lists.uploaded("t", "list-1")
        assert pieces is not None
        assert b"".join(pieces) == b"https://example.com/\n"
        stores.url_lists.store("t", "list-1", URLS)
        assert stores.url_lists.uploaded("t", "list-1") is None
        assert stores.url_lists.give("t", "list-1", CRAWL)
        assert given(stores) == URLS
