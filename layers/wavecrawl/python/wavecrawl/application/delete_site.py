"""Delete a site: nothing starts it any more, and what was crawled stays."""

from wavecrawl.errors import NotFoundError
from wavecrawl.ports.schedules import Schedules
from wavecrawl.ports.sites import Sites


def delete_site(tenant: str, site: str, *, sites: Sites, schedules: Schedules) -> None:
    """Delete a site and its schedule; its crawls and their results stay. Raise NotFoundError where there is none.

    The schedule goes first: what is left where this fails half-way can be deleted again.
    """
    if sites.read(tenant, site) is None:
        raise NotFoundError(f"there is no site {site}")
    schedules.remove(tenant, site)
    sites.delete(tenant, site)
    schedules.remove(tenant, site)  # of whoever saved it in between
