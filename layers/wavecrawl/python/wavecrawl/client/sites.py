"""Operations on saved sites."""

from collections.abc import Iterator
from functools import partial

from wavecrawl.api_models.brand import SiteBrand
from wavecrawl.api_models.crawls import Crawl, CrawlList, CrawlReference, NewSiteCrawl
from wavecrawl.api_models.credentials import SiteCredentials, SiteSecrets
from wavecrawl.api_models.knowledge import SearchIndex, SearchResults
from wavecrawl.api_models.schedules import ScheduleStarts
from wavecrawl.api_models.sites import ListedSite, NewSite, SiteDetail, SiteList, SiteUpdate
from wavecrawl.client.operations import items
from wavecrawl.client.url_lists import UrlListOperations
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.sites.frequency import Frequency


class SiteOperations(UrlListOperations):
    """Operations on sites."""

    def create_site(self, site: NewSite, *, idempotency_key: str | None = None) -> SiteDetail:
        """Create a site. A list of URLs that is too long for the request is uploaded first."""
        site = self._fitting(site, idempotency_key)
        return self._post(SiteDetail, "sites", body=site, idempotency_key=idempotency_key)

    def list_sites(self, *, cursor: str | None = None, limit: int | None = None, crawls: int | None = None) -> SiteList:
        """List sites by ID, each with up to `crawls` of its latest crawls (0 to 12, by default 0)."""
        return self._get(SiteList, "sites", cursor=cursor, limit=limit, crawls=crawls)

    def iter_sites(self, *, limit: int | None = None, crawls: int | None = None) -> Iterator[ListedSite]:
        """Yield all sites, `limit` per request, each with its latest crawls as `list_sites`."""
        return items(partial(self.list_sites, limit=limit, crawls=crawls), lambda page: page.sites)

    def get_site(self, site: str) -> SiteDetail:
        """Get a site with its settings."""
        return self._get(SiteDetail, "sites", site)

    def get_site_brand(self, site: str) -> SiteBrand:
        """Get the brand of a site: the values that were set, and for the rest those that a crawl found."""
        return self._get(SiteBrand, "sites", site, "brand")

    def get_site_credentials(self, site: str) -> SiteCredentials:
        """Get which credentials a site has; their values cannot be read."""
        return self._get(SiteCredentials, "sites", site, "credentials")

    def set_site_credentials(self, site: str, secrets: SiteSecrets) -> SiteCredentials:
        """Set the credentials of a site in place of earlier ones."""
        return self._put(SiteCredentials, "sites", site, "credentials", body=secrets)

    def delete_site_credentials(self, site: str) -> None:
        """Delete the credentials of a site, if it has any."""
        self._delete("sites", site, "credentials")

    def update_site(self, site: str, update: SiteUpdate, *, if_match: str | None = None) -> SiteDetail:
        """Update a site; with `if_match='"3"'`, only if its `version` is still 3."""
        return self._patch(SiteDetail, "sites", site, body=self._fitting(update), headers={"if-match": if_match})

    def delete_site(self, site: str) -> None:
        """Delete a site and its schedule. Its crawls are kept."""
        self._delete("sites", site)

    def start_site_crawl(
        self, site: str, crawl: NewSiteCrawl | None = None, *, idempotency_key: str | None = None
    ) -> CrawlReference:
        """Start a crawl of a site, with other settings for this crawl only if `crawl` has any."""
        if crawl is not None:
            crawl = self._fitting(crawl, idempotency_key)
        return self._post(CrawlReference, "sites", site, "crawls", body=crawl, idempotency_key=idempotency_key)

    def list_site_crawls(self, site: str, *, cursor: str | None = None, limit: int | None = None) -> CrawlList:
        """List the crawls of a site, newest first."""
        return self._get(CrawlList, "sites", site, "crawls", cursor=cursor, limit=limit)

    def iter_site_crawls(self, site: str, *, limit: int | None = None) -> Iterator[Crawl]:
        """Yield all crawls of a site, newest first, `limit` per request."""
        return items(partial(self.list_site_crawls, site, limit=limit), lambda page: page.crawls)

    def list_schedule_starts(
        self, frequency: Frequency, *, cron: str | None = None, timezone: str | None = None
    ) -> ScheduleStarts:
        """List the next starts of a schedule, without saving it."""
        return self._get(ScheduleStarts, "schedules", "starts", frequency=frequency, cron=cron, timezone=timezone)

    def get_search_index(self, site: str) -> SearchIndex:
        """Get the state of a site's search index. If texts are missing, they are indexed in the background."""
        return self._get(SearchIndex, "sites", site, "index")

    def search_site(
        self, site: str, q: str, *, limit: int | None = None, mode: SearchMode | None = None
    ) -> SearchResults:
        """Search the texts of a site's pages."""
        return self._get(SearchResults, "sites", site, "search", q=q, limit=limit, mode=mode)
