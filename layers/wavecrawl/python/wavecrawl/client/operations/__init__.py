"""Every operation of the API. Generated from the OpenAPI document by `make generate`: do not edit."""

from wavecrawl.client.operations.crawls import CrawlsOperations
from wavecrawl.client.operations.service import ServiceOperations


class Operations(CrawlsOperations, ServiceOperations):
    """Every operation of the API."""
