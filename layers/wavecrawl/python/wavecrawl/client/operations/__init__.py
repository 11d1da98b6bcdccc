"""Every operation of the API. Generated from the OpenAPI document by `make generate`: do not edit."""

from wavecrawl.client.operations.admin import AdminOperations
from wavecrawl.client.operations.analysis import AnalysisOperations
from wavecrawl.client.operations.crawls import CrawlsOperations
from wavecrawl.client.operations.keys import KeysOperations
from wavecrawl.client.operations.pages import PagesOperations
from wavecrawl.client.operations.service import ServiceOperations
from wavecrawl.client.operations.settings import SettingsOperations
from wavecrawl.client.operations.sites import SitesOperations
from wavecrawl.client.operations.webhooks import WebhooksOperations


class Operations(
    AdminOperations,
    AnalysisOperations,
    CrawlsOperations,
    KeysOperations,
    PagesOperations,
    ServiceOperations,
    SettingsOperations,
    SitesOperations,
    WebhooksOperations,
):
    """Every operation of the API."""
