"""Sites in DynamoDB: rows of their tenant, beside those that say where its crawls are."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, int_of, number, text, text_of
from wavecrawl.adapters.aws.faults import CONTESTED
from wavecrawl.adapters.aws.names import saved_site_row, saved_sites_row
from wavecrawl.adapters.aws.table import Change, NewRow, Removal, Table
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.sites import SiteRow

_SETTINGS = msgspec.msgpack.Decoder(CrawlSettings)
_SCHEDULE = msgspec.msgpack.Decoder(Schedule)
_encode = msgspec.msgpack.Encoder().encode


class DynamoSites:
    """`ports.sites.Sites`. Each site is counted with its row, in one transaction.

    A change that was sent twice, as its first answer was lost, meets itself: it was made.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False, with nothing changed, where the tenant has one of that id, or `most`."""
        row = NewRow(key=_key(site), row=_attributes(site), condition="attribute_not_exists(#pk)")
        return not self._table.transact([row, _counted(site.tenant, 1, most)], CONTESTED)

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        row = self._table.get(saved_site_row(tenant, site))
        return _site(tenant, row) if row else None

    def update(self, site: SiteRow) -> bool:
        """Replace the site whose version is one lower; return False where that is not so."""
        answer = self._table.put(
            NewRow(
                key=_key(site),
                row=_attributes(site),
                condition="#version = :before",
                values={":before": number(site.version - 1)},
            )
        )
        return answer.made or (bool(answer.row) and _site(site.tenant, answer.row) == site)

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site; return whether there was one."""
        row = Removal(key=saved_site_row(tenant, site), condition="attribute_exists(#pk)")
        return not self._table.transact([row, _counted(tenant, -1)], CONTESTED)

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id; where given, only those after `after`."""
        partition, prefix = saved_site_row(tenant, "")
        above = f"{prefix}{after}" if after else ""
        return [_site(tenant, row) for row in self._table.oldest(partition, prefix, limit=limit, above=above)]


def _key(site: SiteRow) -> tuple[str, str]:
    return saved_site_row(site.tenant, site.site)


def _counted(tenant: str, more: int, most: int | None = None) -> Change:
    """Return the step that counts a tenant's sites."""
    condition, values = "", {":more": number(more)}
    if most is not None:
        condition = "attribute_not_exists(#sites) OR #sites < :most"
        values[":most"] = number(most)
    return Change(key=saved_sites_row(tenant), update="ADD #sites :more", condition=condition, values=values)


def _attributes(site: SiteRow) -> Row:
    return {
        "url": text(site.url),
        "name": text(site.name),
        "settings": binary(_encode(site.settings)),
        "pages_named": {"BOOL": site.pages_named},
        "schedule": binary(_encode(site.schedule)),
        "created_at": number(site.created_at),
        "changed_at": number(site.changed_at),
        "version": number(site.version),
    }


def _site(tenant: str, row: Row) -> SiteRow:
    return SiteRow(
        tenant=tenant,
        site=text_of(row, "sk").partition("#")[2],
        url=text_of(row, "url"),
        name=text_of(row, "name"),
        settings=_SETTINGS.decode(bytes_of(row, "settings")),
        pages_named=row["pages_named"]["BOOL"],
        schedule=_SCHEDULE.decode(bytes_of(row, "schedule")),
        created_at=float_of(row, "created_at"),
        changed_at=float_of(row, "changed_at"),
        version=int_of(row, "version"),
    )
