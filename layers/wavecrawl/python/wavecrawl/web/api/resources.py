"""The resources of the API, in the order of its description."""

from collections.abc import Callable

from wavecrawl.web.api.admin import admin_routes
from wavecrawl.web.api.analysis import analysis_routes
from wavecrawl.web.api.crawl_events import crawl_event_routes
from wavecrawl.web.api.crawls import crawl_routes
from wavecrawl.web.api.diff import diff_routes
from wavecrawl.web.api.keys import key_routes
from wavecrawl.web.api.pages import page_routes
from wavecrawl.web.api.routing import Routes
from wavecrawl.web.api.settings import settings_routes
from wavecrawl.web.api.sites import site_routes
from wavecrawl.web.api.webhooks import webhook_routes
from wavecrawl.web.service import Service

RESOURCES: tuple[Callable[[Service], Routes], ...] = (
    crawl_routes,
    page_routes,
    analysis_routes,
    diff_routes,
    crawl_event_routes,
    site_routes,
    webhook_routes,
    settings_routes,
    key_routes,
    admin_routes,
)
