"""A crawl of an uploaded list, which is deleted while the crawl runs."""

from contextlib import closing
from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import QUICK, crawl_inline

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.uploaded_lists import check_list, create_list, delete_list
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.ports.tenants import TenantRow

LINES = 20_000
OWN = TenantRow(tenant=LOCAL_TENANT, name="Own", plan=Plan.UNLIMITED)


def test_each_url_of_a_long_list_is_crawled_once_although_the_list_is_deleted(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(page("/"), page("/a"), page("/b")))) as server, closing(LocalStore(tmp_path)) as store:
        now, lists = store.clock.now(), store.url_lists
        lines = "".join(f"{server.origin}/{'ab'[number % 2]}#{number}\n" for number in range(LINES))
        row = create_list(LOCAL_TENANT, "list-1", name="", size=9, lists=lists, operator=OperatorSettings(), now=now)
        upload = tmp_path / "uploads" / LOCAL_TENANT / "list-1"
        upload.parent.mkdir(parents=True)
        upload.write_text(lines, encoding="utf-8")
        ready = check_list(row, tenant=OWN, lists=lists, operator=OperatorSettings(), now=now)
        assert ready.urls == LINES

        def delete_before_the_first_batch(ports: WorkerPorts) -> WorkerPorts:
            delete_list(ready, lists=lists)
            return ports

        settings = replace(QUICK, discovery=Discovery.LIST, url_list="list-1")
        done = crawl_inline(server.url, tmp_path, settings, replace_ports=delete_before_the_first_batch)
        assert lists.read(LOCAL_TENANT, "list-1") is None
    assert sorted(row["url"].removeprefix(server.origin) for row in done.ledger()) == ["/a", "/b"]
    assert done.summary.pages == 2
