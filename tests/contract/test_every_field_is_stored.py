"""Every store keeps every field of its rows. The rows are generated, so the tests cover new fields too."""

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import fields, replace

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.robots import RobotsFile
from wavecrawl.domain.webhooks.delivery import Delivery
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.batches import BatchSums
from wavecrawl.ports.claims import Claimant
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent
from wavecrawl.ports.media_assets import StoredAsset
from wavecrawl.ports.repeats import Hold, KeptAnswer, Seen
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.ports.url_lists import UrlList
from wavecrawl.ports.webhooks import Webhook

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")

Shape = TypeVar("Shape")


def filled(shape: type[Shape]) -> Shape:
    """Return a value in which every field, at any depth, differs from its default."""
    kinds = get_type_hints(shape)
    return shape(**{name: a_value(kinds[name], name, default) for name, default in defaults_of(shape).items()})


def defaults_of(shape: Any) -> dict[str, object]:
    """Return the defaults of fields by name, or a marker for fields without one."""
    return {one.name: one.default for one in fields(shape)}


def a_value(kind: Any, name: str, default: object) -> Any:
    """Return a value of a type. It differs for each name."""
    arguments, origin = get_args(kind), get_origin(kind)
    if isinstance(kind, UnionType):
        return a_value(next(one for one in arguments if one is not NoneType), name, default)
    if origin in {tuple, frozenset}:
        return origin([a_value(arguments[0], name, None)])
    if origin in {Mapping, dict}:
        return {f"a-{name}": a_value(str if arguments[1] is object else arguments[1], f"its-{name}", None)}
    if issubclass(kind, Struct):
        return filled(kind)
    if issubclass(kind, Enum):
        return next(one for one in kind if one is not default)
    number = 1_000 + len(name)
    plain = {str: f"a-{name}", bytes: name.encode(), bool: default is not True, int: number, float: number + 0.25}
    return plain[kind]


def crawl(stores: Ports) -> tuple[object, object]:
    row = filled(CrawlRow)
    stores.crawls.create(row)
    return row, stores.crawls.read(row.id)


def changed_crawl(stores: Ports) -> tuple[object, object]:
    row = replace(filled(CrawlRow), status=CrawlStatus.RUNNING, cancel_asked=False)
    stores.crawls.create(row)
    stores.crawls.settle_root(row.id, "https://example.com/new", requests=3)
    stores.crawls.ask_to_cancel(row.id)
    stores.crawls.finish(row.id, status=CrawlStatus.FAILED, now=5.5, error="why")
    ended = replace(row, status=CrawlStatus.FAILED, finished_at=5.5, error="why", cancel_asked=True)
    return replace(ended, root_url="https://example.com/new", opening_requests=3), stores.crawls.read(row.id)


def site(stores: Ports) -> tuple[object, object]:
    row = filled(SiteRow)
    stores.sites.create(row)
    return row, stores.sites.read(row.tenant, row.site)


def changed_site(stores: Ports) -> tuple[object, object]:
    row = filled(SiteRow)
    stores.sites.create(SiteRow(tenant=row.tenant, site=row.site, url="", name="", settings=CrawlSettings()))
    stores.sites.update(replace(row, version=2))
    return replace(row, version=2), stores.sites.read(row.tenant, row.site)


def tenant(stores: Ports) -> tuple[object, object]:
    row = filled(TenantRow)
    stores.tenants.create(row)
    return row, stores.tenants.read(row.tenant)


def changed_tenant(stores: Ports) -> tuple[object, object]:
    row = filled(TenantRow)
    stores.tenants.create(TenantRow(tenant=row.tenant, name="", plan=row.plan))
    stores.tenants.update(replace(row, version=2))
    return replace(row, version=2), stores.tenants.read(row.tenant)


def key(stores: Ports) -> tuple[object, object]:
    row = filled(ApiKeyRow)
    stores.keys.create(row)
    return row, stores.keys.by_digest(row.digest)


def changed_key(stores: Ports) -> tuple[object, object]:
    row = filled(ApiKeyRow)
    stores.keys.create(row)
    stores.keys.used(row, now=row.last_used_at + 7_200.5)
    stores.keys.expire(row.tenant, row.id, at=1.5)
    changed = replace(row, last_used_at=row.last_used_at + 7_200.5, expires_at=1.5)
    return changed, stores.keys.of_tenant(row.tenant)[0]


def url_list(stores: Ports) -> tuple[object, object]:
    row = filled(UrlList)
    stores.url_lists.create(row)
    return row, stores.url_lists.read(row.tenant, row.list)


def webhook(stores: Ports) -> tuple[object, object]:
    row = filled(Webhook)
    stores.webhooks.create(row)
    return row, stores.webhooks.read(row.tenant, row.webhook)


def asset(stores: Ports) -> tuple[object, object]:
    row = filled(StoredAsset)
    with NamedTemporaryFile() as file:
        stores.media.put("t", row.asset, Path(file.name), url=row.first_url, now=row.stored_at)
    return row, stores.media.read("t", row.asset.hash)


def delivery(stores: Ports) -> tuple[object, object]:
    row = filled(Delivery)
    stores.deliveries.add(row)
    return row, stores.deliveries.read(row.id)


def event(stores: Ports) -> tuple[object, object]:
    row = filled(LoggedEvent)
    stores.event_log.append(CRAWL, row)
    return row, stores.event_log.after(CRAWL, -1, limit=1)[0]


def robots(stores: Ports) -> tuple[object, object]:
    row = filled(RobotsFile)
    stores.robots.write(row)
    return row, stores.robots.read(row.origin)


def answer(stores: Ports) -> tuple[object, object]:
    row = filled(KeptAnswer)
    hold = stores.repeats.begin("t", "k", fingerprint="f", now=1.0, seconds=9.0)
    assert isinstance(hold, Hold)
    stores.repeats.keep(hold, row, now=2.0)
    return Seen(fingerprint="f", answer=row), stores.repeats.begin("t", "k", fingerprint="f", now=3.0, seconds=9.0)


def claim(stores: Ports) -> tuple[object, object]:
    row = filled(Claimant)
    stores.claims.claim(CRAWL, "a-key", row)
    return row, stores.claims.holder(CRAWL, "a-key")


def sums(stores: Ports) -> tuple[object, object]:
    row = filled(BatchSums)
    stores.waves.create(CRAWL, 1, planned=1)
    lease = stores.batches.lease(BatchId(crawl=CRAWL, wave=1, batch=0), owner="w", now=1.0, seconds=9.0)
    assert lease is not None
    stores.batches.complete(lease, row)
    wave = stores.waves.read(CRAWL, 1)
    assert wave is not None
    return row, wave.sums


ROUND_TRIPS = (
    crawl, changed_crawl, site, changed_site, tenant, changed_tenant, key, changed_key, webhook, url_list, asset,
    delivery, event, robots, answer, claim, sums,
)  # fmt: skip


@pytest.mark.parametrize("shape", [CrawlRow, CrawlSettings, SiteRow, TenantRow, Webhook, UrlList, Delivery, Usage])
def test_no_field_of_a_generated_row_has_its_default(shape: type) -> None:
    defaults = defaults_of(shape)
    row: object = filled(shape)
    assert defaults
    assert [name for name, default in defaults.items() if getattr(row, name) == default] == []


@pytest.mark.parametrize("round_trip", ROUND_TRIPS)
def test_every_field_comes_back(stores: Ports, round_trip: Callable[[Ports], tuple[object, object]]) -> None:
    written, read = round_trip(stores)
    assert read == written
