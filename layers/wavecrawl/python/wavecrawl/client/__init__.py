"""A Python client of the REST API. It needs requests, pydantic and msgspec only.

    from wavecrawl.client import Client, NewCrawl

    with Client("https://api.example.com", "wck_...") as client:
        crawl = client.start_crawl(NewCrawl(url="https://example.com/")).crawl
        for event in client.stream_events(crawl):
            print(event.kind, event.data)
        for page in client.iter_pages(crawl):
            print(page.url)

`Client` has a method for each operation of the API, named after its operation ID. Models and enumerations for arguments
are in this package; models of responses are in `wavecrawl.api_models`. For each `list_...` method, which returns one
page of a list, there is an `iter_...` method, which yields the items of all pages.

`upload_list` uploads a list of URLs that is too long for the body of a request. Operations that start crawls and save
sites do so by themselves.

Error responses are raised as `ApiError`. Responses 429 and 503 and broken connections are retried first, unless a retry
could repeat an effect. POST requests carry an Idempotency-Key, so that they can be retried.
"""

from wavecrawl.api_models.brand import BrandValues
from wavecrawl.api_models.crawls import NewCrawl
from wavecrawl.api_models.schedules import Schedule
from wavecrawl.api_models.settings import (
    ArchiveContent,
    ArchiveSettings,
    BrandSettings,
    CheckSettings,
    CrawlSettings,
    DuplicateSettings,
    ExtractSettings,
    FetchLimits,
    FocusSettings,
    GraphSettings,
    IssueSettings,
    KnowledgeSettings,
    MediaGroup,
    MediaSettings,
    ObjectiveSettings,
    PoliteSettings,
    RecrawlSettings,
    RenderSettings,
    ScopeSettings,
    SitemapSettings,
    TrapSettings,
)
from wavecrawl.api_models.sites import NewSite, SiteUpdate
from wavecrawl.api_models.tenants import KeyRotation, NewApiKey, NewTenant, TenantSettingsUpdate, TenantUpdate
from wavecrawl.api_models.types import Problem
from wavecrawl.api_models.url_lists import NewUploadedList
from wavecrawl.api_models.webhooks import NewWebhook, SecretRotation, WebhookEvent, WebhookUpdate
from wavecrawl.client.client import Client
from wavecrawl.client.errors import ApiError, ApiUnreachableError, StillRunningError
from wavecrawl.client.events import CrawlEvent
from wavecrawl.client.transport import Content, RetryPolicy
from wavecrawl.domain.crawl.settings import Discovery, ScopeMode
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.domain.webhooks.delivery import DeliveryState

__all__ = [
    "ApiError",
    "ApiUnreachableError",
    "ArchiveContent",
    "ArchiveSettings",
    "BrandSettings",
    "BrandValues",
    "CheckSettings",
    "Client",
    "Content",
    "CrawlEvent",
    "CrawlSettings",
    "CrawlStatus",
    "DeliveryState",
    "DiffKind",
    "Discovery",
    "DuplicateKind",
    "DuplicateSettings",
    "ExtractSettings",
    "FetchLimits",
    "FocusSettings",
    "Frequency",
    "GraphSettings",
    "IssueName",
    "IssueSettings",
    "KeyRotation",
    "KnowledgeSettings",
    "Lane",
    "MediaGroup",
    "MediaSettings",
    "Mode",
    "NewApiKey",
    "NewCrawl",
    "NewSite",
    "NewTenant",
    "NewUploadedList",
    "NewWebhook",
    "ObjectiveSettings",
    "PageOrder",
    "Plan",
    "PoliteSettings",
    "Problem",
    "RecrawlSettings",
    "RenderSettings",
    "RetryPolicy",
    "Role",
    "Schedule",
    "ScopeMode",
    "ScopeSettings",
    "SearchMode",
    "SecretRotation",
    "Severity",
    "SiteUpdate",
    "SitemapSettings",
    "StillRunningError",
    "Strategy",
    "TenantSettingsUpdate",
    "TenantUpdate",
    "TrapSettings",
    "UrlState",
    "WebhookEvent",
    "WebhookUpdate",
]
