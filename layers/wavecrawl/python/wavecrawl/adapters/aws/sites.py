"""Sites in DynamoDB: rows of their tenant, beside the pointers to its crawls."""

from wavecrawl.adapters.aws.faults import CONTESTED
from wavecrawl.adapters.aws.names import saved_site_row, saved_sites_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import EXISTS, Change, Removal
from wavecrawl.ports.sites import SiteRow


class DynamoSites:
    """`ports.sites.Sites`. A transaction stores or deletes a site and changes the number of the tenant's sites."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sites = PackedItems(table, SiteRow)

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False, with nothing changed, if its id is taken or the tenant has `most`."""
        new = self._sites.new(saved_site_row(site.tenant, site.site), site, version=site.version)
        return not self._table.transact([new, _counted(site.tenant, 1, most)], CONTESTED)

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        return self._sites.get(saved_site_row(tenant, site))

    def update(self, site: SiteRow) -> bool:
        """Replace the site whose version is one lower; return False if there is none."""
        return self._sites.replace(saved_site_row(site.tenant, site.site), site, version=site.version)

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site; return whether it existed."""
        removal = Removal(key=saved_site_row(tenant, site), condition=EXISTS)
        return not self._table.transact([removal, _counted(tenant, -1)], CONTESTED)

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id, only those after `after` if given."""
        partition, prefix = saved_site_row(tenant, "")
        return [self._sites.unpack(item) for item in self._table.query(partition, prefix, after=after, limit=limit)]


def _counted(tenant: str, more: int, most: int | None = None) -> Change:
    """Return the step that counts a tenant's sites."""
    key = saved_sites_row(tenant)
    if most is None:
        return Change(key=key, add={"sites": more})
    condition = "attribute_not_exists(#sites) OR #sites < :most"
    return Change(key=key, add={"sites": more}, condition=condition, values={"most": most})
