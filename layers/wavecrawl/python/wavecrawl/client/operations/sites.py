"""Operations on sites. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import (
    CrawlList,
    CrawlOutline,
    CrawlStarted,
    NewSite,
    SiteChange,
    SiteInFull,
    SiteList,
    SiteOutline,
)


class SitesOperations(Calls):
    """Operations on sites."""

    def list_sites(self, *, cursor: str | None = None, limit: int | None = None) -> SiteList:
        """List sites.

        List the tenant's saved sites by their ids.
        """
        return self._model(SiteList, "GET", "/v1/sites", query={"cursor": cursor, "limit": limit})

    def iter_sites(self, *, limit: int | None = None) -> Iterator[SiteOutline]:
        """List sites: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[SiteOutline], str | None]:
            page = self.list_sites(limit=limit, cursor=cursor)
            return page.sites, page.next_cursor

        return pages(fetch)

    def save_site(self, body: NewSite, *, idempotency_key: str | None = None) -> SiteInFull:
        """Save a site.

        Save what is crawled again and again. Its schedule, if it has one, counts from now on.

        409 where there is a site of that URL already; 402 where the plan allows fewer pages, or no further site.
        """
        return self._model(SiteInFull, "POST", "/v1/sites", headers={"idempotency-key": idempotency_key}, body=body)

    def read_site(self, site: str) -> SiteInFull:
        """Look at a site.

        Return a saved site with the settings of its crawls.
        """
        return self._model(SiteInFull, "GET", f"/v1/sites/{quoted(site)}")

    def update_site(self, site: str, body: SiteChange, *, if_match: str | None = None) -> SiteInFull:
        """Change a site.

        Change a site; a new schedule takes effect at once. What is being crawled goes on as it was started.

        412 where somebody else changed the site since it was read. An empty change puts the schedule again.
        """
        return self._model(SiteInFull, "PATCH", f"/v1/sites/{quoted(site)}", headers={"if-match": if_match}, body=body)

    def remove_site(self, site: str) -> None:
        """Delete a site.

        Delete a site and its schedule. Its crawls stay, with their results; one that is under way goes on.
        """
        self._nothing("DELETE", f"/v1/sites/{quoted(site)}")

    def list_site_crawls(self, site: str, *, cursor: str | None = None, limit: int | None = None) -> CrawlList:
        """List a site's crawls.

        List the crawls of a saved site, the newest first.
        """
        return self._model(
            CrawlList, "GET", f"/v1/sites/{quoted(site)}/crawls", query={"cursor": cursor, "limit": limit}
        )

    def iter_site_crawls(self, site: str, *, limit: int | None = None) -> Iterator[CrawlOutline]:
        """List a site's crawls: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[CrawlOutline], str | None]:
            page = self.list_site_crawls(site, limit=limit, cursor=cursor)
            return page.crawls, page.next_cursor

        return pages(fetch)

    def crawl_site(self, site: str, *, idempotency_key: str | None = None) -> CrawlStarted:
        """Crawl a site now.

        Start a crawl with the site's settings, whatever its schedule says.

        409 names the crawl of the site that is under way; 429 may mean that the month's crawls are used up.
        """
        return self._model(
            CrawlStarted, "POST", f"/v1/sites/{quoted(site)}/crawls", headers={"idempotency-key": idempotency_key}
        )
