"""The resources of the API, in the order of its description."""

from collections.abc import Callable

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.admin import admin_routes
from wavecrawl.api.routes.analysis import analysis_routes
from wavecrawl.api.routes.crawl_events import crawl_event_routes
from wavecrawl.api.routes.crawls import crawl_routes
from wavecrawl.api.routes.diff import diff_routes
from wavecrawl.api.routes.keys import key_routes
from wavecrawl.api.routes.pages import page_routes
from wavecrawl.api.routes.settings import settings_routes
from wavecrawl.api.routes.sites import site_routes
from wavecrawl.api.routes.webhooks import webhook_routes
from wavecrawl.api.routing import Routes

RESOURCES: tuple[Callable[[Backend], Routes], ...] = (
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
