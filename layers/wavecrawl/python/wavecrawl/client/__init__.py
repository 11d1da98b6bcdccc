"""A Python client of the REST API. It needs requests and pydantic, and nothing of the crawler itself.

    from wavecrawl.client import Client, NewCrawl

    with Client("https://api.example.com", "wck_...") as client:
        started = client.start_crawl(NewCrawl(url="https://example.com/"))
        for event in client.events(started.crawl):
            print(event.kind, event.data)
        for page in client.iter_pages(started.crawl):
            print(page.url)

There is a method for each operation of the API, named by its operation id; `models` holds what goes in and comes out.
Both are generated from the OpenAPI document that the API serves (`make generate`), and a test keeps them so. Lists have
an iterator beside them that asks for page after page.

An answer that is no success is raised as `ApiError`. 429, 503 and broken connections are tried again first, where that
cannot do anything twice; each POST carries an Idempotency-Key for that.
"""

from wavecrawl.client.client import Client
from wavecrawl.client.errors import ApiError, ApiUnreachableError, StillRunningError
from wavecrawl.client.event_stream import ServerSentEvent
from wavecrawl.client.events import CrawlEvent
from wavecrawl.client.models import *  # noqa: F403 - every model, as models.__all__ names them
from wavecrawl.client.transport import Content, Retrying

__all__ = [
    "ApiError",
    "ApiUnreachableError",
    "Client",
    "Content",
    "CrawlEvent",
    "Retrying",
    "ServerSentEvent",
    "StillRunningError",
]
