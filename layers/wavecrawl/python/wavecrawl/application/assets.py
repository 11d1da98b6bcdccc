"""Stored assets of a tenant: get one, delete one."""

from collections.abc import Iterator

from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.media_assets import StoredAsset

_AT_ONCE = 100  # crawls


def find_asset(tenant: str, hash_: str, ports: Ports) -> StoredAsset:
    """Return an asset; raise NotFoundError if it is not stored."""
    found = ports.media.read(tenant, hash_)
    if found is None:
        raise NotFoundError(f"asset {hash_} does not exist")
    return found


def delete_asset(tenant: str, hash_: str, ports: Ports, *, force: bool) -> None:
    """Delete an asset. Raise NotFoundError if it is not stored.

    Without `force`, raise ConflictError if a page uses it in any of the tenant's crawls, or if that is not known: a
    crawl has not ended, or its results do not say so.
    """
    find_asset(tenant, hash_, ports)
    user = None if force else _user(tenant, hash_, ports)
    if user is not None:
        crawl, page = user
        raise ConflictError(
            f"asset {hash_} is used by {page} in crawl {crawl.id.crawl}; delete it with force=true nevertheless"
        )
    ports.media.delete(tenant, hash_)


def _user(tenant: str, hash_: str, ports: Ports) -> tuple[CrawlRow, str] | None:
    """Return the newest crawl in which a page uses the asset, and the URL of the page."""
    for crawl in _crawls_of(tenant, ports):
        if crawl.settings.media.include and crawl.root_url:  # otherwise it has no pages
            if not crawl.status.has_ended:
                raise ConflictError(
                    f"crawl {crawl.id.crawl} is {crawl.status.value}, and its pages may use asset {hash_}; delete the "
                    "asset when the crawl has ended, or with force=true"
                )
            try:
                uses = ports.results.uses_of(crawl.id, hash_, limit=1).rows
            except NotFoundError as error:
                raise ConflictError(f"{error}; or delete asset {hash_} with force=true") from error
            if uses:
                return crawl, uses[0].url
    return None


def _crawls_of(tenant: str, ports: Ports) -> Iterator[CrawlRow]:
    """Yield the crawls of a tenant, the newest first."""
    before = ""
    while rows := ports.crawls.of_tenant(tenant, limit=_AT_ONCE, before=before):
        yield from rows
        before = rows[-1].id.crawl
