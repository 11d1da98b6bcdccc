"""What the API takes and answers. Generated from its document by `make generate`: do not edit."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PrivateAttr


class Sent(BaseModel):
    """Goes to the API. Only fields that were set are sent; the others have the default that the server gives them."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, protected_namespaces=())


class Received(BaseModel):
    """Comes from the API. Fields that a newer server adds are kept, and known to nobody."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True, protected_namespaces=())

    _etag: str | None = PrivateAttr(default=None)

    @property
    def answer_etag(self) -> str | None:
        """The tag of what was read, for `if_match`: a change is refused where somebody else made one since."""
        return self._etag

    def remember_etag(self, etag: str | None) -> None:
        """Note the tag that an answer came with."""
        self._etag = etag


class AlternateShown(Received):
    """The page in another language (hreflang)."""

    language: str
    url: str


class Role(StrEnum):
    """Role of an API key. Each role includes the permissions of those below it."""

    ADMIN = "admin"
    TENANT = "tenant"
    READ = "read"


class ApiKey(Received):
    """A key. The key itself is shown once, when it is made."""

    key: str
    """its id"""
    name: str
    role: Role
    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    """to the hour"""
    expires_at: AwareDatetime | None
    """when it ends, or has ended; ended keys are listed for a month"""


class ApiKeyList(Received):
    """Keys by id."""

    keys: list[ApiKey]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class ApiKeyWithSecret(Received):
    """A key that was just made."""

    key: str
    """its id"""
    name: str
    role: Role
    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    """to the hour"""
    expires_at: AwareDatetime | None
    """when it ends, or has ended; ended keys are listed for a month"""
    secret: str
    """what to send as `Authorization: Bearer`; it is shown this once"""


class BlockerShown(Received):
    """A URL whose missing content keeps orphans from a verdict."""

    url: str
    why: str
    reason: str


class CrawlBill(Received):
    """What a crawl has cost in AWS so far, at list prices."""

    usd: float
    usd_per_million_pages: float
    services: dict[str, float]
    """dollars of each service"""


class CrawlCounters(Received):
    """What is done so far."""

    waves: int
    batches: int
    """planned"""
    batches_done: int
    records: int
    """tries, of which a page may take several"""
    fetched: int
    """pages"""
    bytes: int
    faults: int
    """requests without an answer"""


class CrawlStatus(StrEnum):
    """Status of a crawl."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"


class ExportedFile(Received):
    """A file of a crawl's results."""

    name: str
    bytes: int
    content_type: str
    url: str
    """downloads it; whoever has this URL needs no key"""


class CrawlExports(Received):
    """The results of a crawl."""

    crawl: str
    """its id"""
    site: str
    """the id of its site, which follows from the URL"""
    status: CrawlStatus
    cancel_asked: bool
    """whether it was asked to stop"""
    expires_at: AwareDatetime
    """when the URLs end"""
    exports: list[ExportedFile]


class CrawlInFull(Received):
    """A crawl with its counters and its bill."""

    crawl: str
    """its id"""
    site: str
    """the id of its site, which follows from the URL"""
    status: CrawlStatus
    cancel_asked: bool
    """whether it was asked to stop"""
    url: str
    """where it starts, as given"""
    root_url: str | None
    """the same after its own redirects; null until they are settled"""
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    error: str | None
    """why it failed"""
    counters: CrawlCounters
    bill: CrawlBill | None
    """null while nothing was used, and on one machine"""


class CrawlOutline(Received):
    """A crawl, as lists have it."""

    crawl: str
    """its id"""
    site: str
    """the id of its site, which follows from the URL"""
    status: CrawlStatus
    cancel_asked: bool
    """whether it was asked to stop"""
    url: str
    """where it starts, as given"""
    root_url: str | None
    """the same after its own redirects; null until they are settled"""
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    error: str | None
    """why it failed"""


class CrawlList(Received):
    """Crawls, the newest first."""

    crawls: list[CrawlOutline]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class Discovery(StrEnum):
    """How URLs are discovered."""

    LINKS_FIRST = "links_first"
    SITEMAP_FIRST = "sitemap_first"
    LINKS_ONLY = "links_only"
    SITEMAP_ONLY = "sitemap_only"
    LIST = "list"


class FetchLimits(Received):
    """Limits of one request."""

    timeout: float = 10.0
    max_bytes: int = 5242880
    max_decoded_bytes: int = 20971520


class PoliteSettings(Received):
    """The request rate towards one host, and the reaction to overload."""

    in_flight: int = 5
    interval: float = 0.04
    obey_robots: bool = True
    adapt: bool = True
    max_interval: float = 30.0
    max_retry_after: float = 3600.0
    cooldown: float = 30.0
    max_cooldowns: int = 5


class ScopeMode(StrEnum):
    """Which hosts belong to the site."""

    ORIGIN = "origin"
    HOST_AND_WWW = "host_and_www"
    SUBDOMAINS = "subdomains"


class ScopeSettings(Received):
    """Which URLs belong to the site. Patterns use `*` and match the full URL, the path, or path and query."""

    mode: ScopeMode = ScopeMode("origin")
    path_prefix: str = "/"
    include: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)


class SitemapSettings(Received):
    """Limits of sitemap reading."""

    max_urls: int = 10000
    timeout: float = 5.0
    max_depth: int = 3
    max_files: int = 1000
    max_bytes: int = 52428800


class CrawlSettings(Received):
    """The settings of a crawl."""

    discovery: Discovery = Discovery("links_first")
    urls: list[str] = Field(default_factory=list)
    scope: ScopeSettings = Field(default_factory=ScopeSettings)
    max_pages: int = 1000
    max_tries: int = 0
    max_depth: int = 25
    max_seconds: float = 0.0
    budget_usd: float = 0.0
    max_frontier: int = 100000
    max_retries: int = 2
    retry_base: float = 1.0
    retry_cap: float = 60.0
    follow_redirects: bool = True
    max_redirects: int = 5
    follow_nofollow: bool = False
    max_url_length: int = 2083
    max_links: int = 10000
    tracking_parameters: list[str] = Field(
        default_factory=lambda: [
            "utm_*",
            "fbclid",
            "gclid",
            "msclkid",
            "mc_cid",
            "mc_eid",
            "ref",
            "_ga",
            "_gl",
            "sessionid",
            "sid",
            "PHPSESSID",
            "jsessionid",
        ]
    )
    limits: FetchLimits = Field(default_factory=FetchLimits)
    polite: PoliteSettings = Field(default_factory=PoliteSettings)
    sitemaps: SitemapSettings = Field(default_factory=SitemapSettings)
    revalidate: bool = True


class CrawlStarted(Received):
    """A crawl that was asked for."""

    crawl: str
    """its id"""
    site: str
    """the id of its site, which follows from the URL"""
    status: CrawlStatus
    cancel_asked: bool
    """whether it was asked to stop"""


class CrawlSummaryModel(Received):
    """How far a crawl has come."""

    crawl: str
    """its id"""
    site: str
    """the id of its site, which follows from the URL"""
    status: CrawlStatus
    cancel_asked: bool
    """whether it was asked to stop"""
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    pages: int
    """fetched so far"""
    tries: int
    """requests for pages, of which one page may take several"""
    faults: int
    """requests without an answer"""
    bytes: int
    batches: int
    """planned so far"""
    batches_done: int
    wave: int
    """the wave planned last; 0 before the first"""
    phase: str | None
    """of that wave: bfs, sitemap or orphan; null before the first"""
    known: int | None
    """URLs known when it was planned"""
    pending: int | None
    """URLs that were waiting after it was planned"""


class DeliveryAttempt(Received):
    """One try to deliver a message."""

    at: AwareDatetime
    status: int | None
    """what the receiver answered; null where no answer came"""
    error: str | None
    """why no answer came"""
    seconds: float


class DeliveryState(StrEnum):
    """State of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"


class DeliveryInFull(Received):
    """A delivery with its message."""

    delivery: str
    """its id, and the message's `webhook-id`"""
    event: str
    """what it tells of"""
    state: DeliveryState
    created_at: AwareDatetime
    next_attempt_at: AwareDatetime | None
    """null where none will be made"""
    attempts: list[DeliveryAttempt]
    message: str
    """JSON, as it is sent and signed"""


class DeliveryOutline(Received):
    """One message to one webhook."""

    delivery: str
    """its id, and the message's `webhook-id`"""
    event: str
    """what it tells of"""
    state: DeliveryState
    created_at: AwareDatetime
    next_attempt_at: AwareDatetime | None
    """null where none will be made"""
    attempts: list[DeliveryAttempt]


class DeliveryList(Received):
    """Deliveries, the newest first."""

    deliveries: list[DeliveryOutline]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class DiffKind(StrEnum):
    """Kind of a difference between two crawls of a site."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    MOVED = "moved"
    BROKEN_LINK = "broken_link"
    MENDED_LINK = "mended_link"
    DEEPER = "deeper"
    NEARER = "nearer"


class DifferenceShown(Received):
    """One difference between two crawls."""

    kind: DiffKind
    url: str
    key: str
    related: str
    """where a page moved to; the page a link stands on; else empty"""
    before: str
    now: str


class DiffShown(Received):
    """What differs in a crawl from an earlier one of its site."""

    base: str
    crawl: str
    kinds: dict[str, int]
    """how many differences there are of each kind"""
    pages_before: int
    pages_now: int
    links_new: int
    links_gone: int
    differences: list[DifferenceShown]
    """those of the kind that was asked for"""
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class Frequency(StrEnum):
    """How often a site is crawled by its schedule."""

    MANUAL = "manual"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CRON = "cron"


class UrlState(StrEnum):
    """State of a URL in one crawl. All but `pending` and `deferred` are final."""

    PENDING = "pending"
    DEFERRED = "deferred"
    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    HTTP_ERROR = "http_error"
    FAILED = "failed"
    ROBOTS_DENIED = "robots_denied"
    SKIPPED = "skipped"


class NodeShown(Received):
    """One URL that was tried, in a piece of the graph."""

    key: str
    url: str
    title: str
    state: UrlState
    status: int | None
    depth: int
    in_links: int
    out_links: int
    orphan: str


class GraphShown(Received):
    """A piece of the link graph."""

    nodes: list[NodeShown]
    links: list[list[Any]]
    """pairs of places in `nodes`: from, to"""
    redirects: list[list[Any]]
    """the same"""
    truncated: bool
    """whether there is more than was asked for at most"""


class HeadingShown(Received):
    """A heading."""

    level: int
    text: str


class Health(Received):
    """Whether the API answers."""

    status: Literal["ok"]


class IssueShown(Received):
    """One thing that is wrong."""

    severity: str
    """error, warning or notice"""
    kind: str
    url: str
    related: str
    """another URL that has to do with it, or empty"""
    detail: str


class IssueList(Received):
    """Issues of a crawl, the gravest kinds first."""

    issues: list[IssueShown]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class IssueName(StrEnum):
    """Kind of an issue of a site."""

    BROKEN_LINK = "broken_link"
    REDIRECT_LOOP = "redirect_loop"
    ERROR_IN_SITEMAP = "error_in_sitemap"
    REDIRECT_CHAIN = "redirect_chain"
    REDIRECT_IN_SITEMAP = "redirect_in_sitemap"
    DENIED_IN_SITEMAP = "denied_in_sitemap"
    NOINDEX_IN_SITEMAP = "noindex_in_sitemap"
    CANONICAL_ELSEWHERE_IN_SITEMAP = "canonical_elsewhere_in_sitemap"
    ORPHAN = "orphan"
    MIXED_CANONICAL = "mixed_canonical"
    DUPLICATE_TITLE = "duplicate_title"
    DUPLICATE_DESCRIPTION = "duplicate_description"
    DUPLICATE_CONTENT = "duplicate_content"
    NEAR_DUPLICATE = "near_duplicate"
    MISSING_TITLE = "missing_title"
    MISSING_DESCRIPTION = "missing_description"
    DEAD_END = "dead_end"
    TOO_DEEP = "too_deep"
    PAGE_TOO_LARGE = "page_too_large"


class LinkShown(Received):
    """A link or redirect; `url` is its other end."""

    url: str
    key: str
    """of the other end; empty where that was not tried"""
    kind: str
    """a, area, frame, canonical, alternate, next, prev, refresh or redirect"""
    text: str
    region: str
    """the part of the page it stands in"""
    nofollow: bool
    reason: str
    """why its target could not be crawled; empty where it could"""


class LinksShown(Received):
    """Links one way."""

    total: int
    shown: list[LinkShown]
    """the first 100"""


class NewApiKey(Sent):
    """A key to make."""

    name: str
    """for people"""
    role: Role = Role("tenant")
    """what it may do; no more than the key that asks"""
    expires_in_days: float | None = None
    """null = never"""


class NewCrawl(Sent):
    """A crawl to start."""

    url: str
    """where to start, http or https"""
    settings: CrawlSettings | None = None
    """what is not named has its default"""


class ScheduleModel(Received):
    """When a site is crawled by itself.

    At changes of the clock, a time that is left out starts nothing, and one that comes twice starts once.
    """

    frequency: Frequency = Frequency("manual")
    """`weekly` is Sunday 00:00, `monthly` the first 00:00, within the hour after; `manual` is never"""
    cron: str = ""
    """with `cron` alone: minute, hour, day of month, month, day of week; one of the days is `*`"""
    timezone: str = "UTC"
    """IANA time zone"""


class NewSite(Sent):
    """A site to save."""

    url: str
    """where its crawls start, http or https; it cannot be changed"""
    name: str = ""
    """for people"""
    settings: CrawlSettings | None = None
    """of its crawls; without `max_pages`, the tenant's own limit applies to each"""
    schedule: ScheduleModel | None = None
    """null = the tenant's default"""


class Plan(StrEnum):
    """Plan of a tenant."""

    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ADVANCED = "advanced"
    PREMIUM = "premium"
    UNLIMITED = "unlimited"


class NewTenant(Sent):
    """A tenant to make."""

    tenant: str
    """its id"""
    name: str | None = None
    """for people; null = the id"""
    plan: Plan = Plan("free")


class WebhookEvent(StrEnum):
    """What a webhook can be told of."""

    CRAWL_STARTED = "crawl.started"
    CRAWL_PROGRESS = "crawl.progress"
    SITE_CHANGED = "site.changed"
    CRAWL_COMPLETED = "crawl.completed"
    CRAWL_FAILED = "crawl.failed"


class NewWebhook(Sent):
    """A webhook to create."""

    url: str
    """where messages are sent, http or https; its host must have a public address when they are"""
    events: list[WebhookEvent] = Field(default_factory=list)
    """what it is told of; none = everything but `crawl.progress`"""
    description: str = ""
    """for people"""


class NoticeShown(Received):
    """Something that went wrong without ending anything."""

    subject: str
    message: str


class OrphanShown(Received):
    """A page that a sitemap names and no crawled page links to."""

    key: str
    url: str
    title: str
    verdict: str
    """orphan, or inconclusive where pages that might link to it could not be read"""
    depth: int
    lastmod: str
    """as the sitemap says; empty where it does not"""


class OrphanList(Received):
    """Orphans of a crawl."""

    orphans: list[OrphanShown]
    next_cursor: str | None
    """asks for the next page; null on the last one"""
    blockers: int
    """URLs that keep them from a verdict"""
    first_blockers: list[BlockerShown]
    """at most 20 of them"""


class PropertyShown(Received):
    """A property of Open Graph."""

    property: str
    content: str


class PageInFull(Received):
    """Everything about one page."""

    key: str
    """names the page in this API"""
    url: str
    state: UrlState
    reason: str
    """why it is in this state, where the state alone does not say"""
    status: int | None
    """of the HTTP answer; null without one"""
    depth: int
    """links from the root; as planned while the crawl runs, exact when it is over"""
    title: str
    """without the site's own name, once the crawl is over"""
    content_type: str
    words: int
    """of the main text"""
    bytes: int
    """as transferred"""
    elapsed: float
    """seconds to the last byte"""
    fetched_at: AwareDatetime | None
    redirect_to: str
    """another page of the site that it redirects to"""
    parent: str | None
    """the URL of the page on the shortest way from the root"""
    in_links: int | None
    """pages that link to it"""
    out_links: int | None
    """pages that it links to"""
    pagerank: float | None
    indexable: bool | None
    in_sitemap: bool | None
    orphan: str | None
    """orphan or inconclusive, where no crawled page links to it; else empty"""
    duplicate_of: str | None
    """the page nearest to the root with the same text"""
    near_duplicate_of: str | None
    detail: str
    full_title: str
    """as the page has it"""
    description: str
    keywords: str
    language: str
    canonical: str
    robots: list[str]
    charset: str
    headings: list[HeadingShown]
    hreflang: list[AlternateShown]
    open_graph: list[PropertyShown]
    json_ld_types: list[str]
    text: str
    """the main text, its first 100,000 characters"""
    text_length: int
    """characters of the whole of it"""
    text_hash: str
    """SHA-256 of the whole of it"""
    simhash: str
    """64 bits, 16 hex digits"""
    entity_tag: str
    """the ETag of its answer, with its quotes"""
    last_modified: str
    final_url: str
    """where redirects to the same page ended; empty without any"""
    tries: int
    decoded_bytes: int
    truncated: bool
    """whether it was not read to its end"""
    response_time: float
    """seconds to the end of the headers"""
    sitemap_lastmod: str | None
    changed_on: str | None
    """the day its text was last seen to change; empty where that is unknown"""
    links: LinksShown
    linked_from: LinksShown | None
    """null while the crawl runs"""


class PageShown(Received):
    """One URL that was tried. What only the whole crawl can tell is null while it runs."""

    key: str
    """names the page in this API"""
    url: str
    state: UrlState
    reason: str
    """why it is in this state, where the state alone does not say"""
    status: int | None
    """of the HTTP answer; null without one"""
    depth: int
    """links from the root; as planned while the crawl runs, exact when it is over"""
    title: str
    """without the site's own name, once the crawl is over"""
    content_type: str
    words: int
    """of the main text"""
    bytes: int
    """as transferred"""
    elapsed: float
    """seconds to the last byte"""
    fetched_at: AwareDatetime | None
    redirect_to: str
    """another page of the site that it redirects to"""
    parent: str | None
    """the URL of the page on the shortest way from the root"""
    in_links: int | None
    """pages that link to it"""
    out_links: int | None
    """pages that it links to"""
    pagerank: float | None
    indexable: bool | None
    in_sitemap: bool | None
    orphan: str | None
    """orphan or inconclusive, where no crawled page links to it; else empty"""
    duplicate_of: str | None
    """the page nearest to the root with the same text"""
    near_duplicate_of: str | None


class PageList(Received):
    """Pages of a crawl."""

    pages: list[PageShown]
    next_cursor: str | None
    """asks for the next page; null on the last one. A running crawl has none"""
    running: bool
    """whether there may be more pages later: ask again with the same cursor"""


class PageOrder(StrEnum):
    """Sort key of pages. Pages with equal keys are in crawl order."""

    CRAWL = "crawl"
    URL = "url"
    TITLE = "title"
    STATUS = "status"
    DEPTH = "depth"
    WORDS = "words"
    BYTES = "bytes"
    ELAPSED = "elapsed"
    IN_LINKS = "in_links"
    OUT_LINKS = "out_links"
    PAGERANK = "pagerank"


class Problem(Received):
    """Why a request is not fulfilled: RFC 9457."""

    type: str
    """always about:blank: the status says what kind of problem it is"""
    title: str
    """the name of the status"""
    status: int
    detail: str
    """what is wrong, and what to do"""
    errors: list[str] | None = None
    """each field that does not hold, where there are several"""


class Rotation(Sent):
    """How a key is rotated."""

    grace_seconds: float = 86400.0
    """how long the old key stays in force beside the new one"""


class SecretRotation(Sent):
    """How a webhook's secret is replaced."""

    grace_hours: int = 24
    """how long messages are signed with the old secret as well"""


class Settings(Received):
    """What a tenant's sites and crawls start from, unless they say otherwise."""

    max_pages: int | None
    """pages of a crawl that names none: 10 to 500, or to the plan's own ceiling; null = 1,000"""
    schedule: ScheduleModel


class SettingsChange(Sent):
    """Settings to change: what is not named stays as it is."""

    max_pages: int | None = None
    """pages of a crawl that names none: 10 to 500, or to the plan's own ceiling; null = 1,000"""
    schedule: ScheduleModel | None = None
    """of a new site; null = manual"""


class Severity(StrEnum):
    """Severity of an issue."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class SiteChange(Sent):
    """What of a site is to be another: settings and schedule are replaced as a whole. Null, or nothing, stays."""

    name: str | None = None
    settings: CrawlSettings | None = None
    schedule: ScheduleModel | None = None


class SiteSchedule(Received):
    """When a site is crawled by itself."""

    frequency: Frequency
    cron: str
    timezone: str
    next_at: AwareDatetime | None
    """null = never by itself"""


class SiteInFull(Received):
    """A site with the settings of its crawls."""

    site: str
    """its id, which follows from the URL"""
    url: str
    name: str
    schedule: SiteSchedule
    created_at: AwareDatetime
    changed_at: AwareDatetime
    version: int
    """counts its changes; If-Match: "<version>" refuses to change a later one"""
    max_pages: int | None
    """as the site names it; null = the tenant's own limit applies"""
    settings: CrawlSettings


class SiteOutline(Received):
    """A site, as lists have it."""

    site: str
    """its id, which follows from the URL"""
    url: str
    name: str
    schedule: SiteSchedule
    created_at: AwareDatetime
    changed_at: AwareDatetime
    version: int
    """counts its changes; If-Match: "<version>" refuses to change a later one"""


class SiteList(Received):
    """Sites, by their ids."""

    sites: list[SiteOutline]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class StatisticsShown(Received):
    """The numbers of a crawl."""

    pages: int
    """fetched and unchanged"""
    urls: int
    """ever seen"""
    edges: int
    """links between pages"""
    max_depth: int
    bytes: int
    states: dict[str, int]
    reasons: dict[str, int]
    statuses: dict[str, int]
    content_types: dict[str, int]
    depths: dict[str, int]
    orphans: dict[str, int]
    """by verdict"""
    blockers: int
    issues: dict[str, int]
    """by kind"""
    near_duplicates: int
    notices: list[NoticeShown]
    timing: dict[str, float]
    """seconds, and pages a second"""


class Tenant(Received):
    """A tenant."""

    tenant: str
    """its id"""
    name: str
    plan: Plan
    disabled: bool
    created_at: AwareDatetime | None
    """null for the deployment's own, where it was never stored"""
    settings: Settings


class TenantChangeModel(Sent):
    """What to change of a tenant: what is not named, or null, stays as it is."""

    name: str | None = None
    plan: Plan | None = None
    disabled: bool | None = None
    """its keys open nothing, and nothing is crawled for it"""


class Usage(Received):
    """What a tenant has used of its month."""

    plan: Plan
    month: str
    """the calendar month, UTC"""
    crawls: int
    """started in it"""
    crawls_a_month: int | None
    """how many the plan allows; null = no limit"""
    max_pages: int | None
    """how many pages of a crawl the plan allows; null = no limit"""
    max_tries: int | None
    """how many tries of a crawl the plan allows; null = no limit"""
    budget_usd: float | None
    """how many dollars of a crawl the plan allows; null = no limit"""
    max_sites: int | None
    """how many saved sites the plan allows; null = no limit"""
    resets_at: AwareDatetime
    """when the next month begins"""


class TenantInFull(Received):
    """A tenant and its month."""

    tenant: str
    """its id"""
    name: str
    plan: Plan
    disabled: bool
    created_at: AwareDatetime | None
    """null for the deployment's own, where it was never stored"""
    settings: Settings
    usage: Usage


class TenantList(Received):
    """Tenants by id."""

    tenants: list[Tenant]
    next_cursor: str | None
    """asks for the next page; null on the last one"""


class WebhookChange(Sent):
    """What is to change about a webhook; what is not named stays as it is."""

    url: str | None = None
    events: list[WebhookEvent] | None = None
    description: str | None = None
    disabled: bool | None = None
    """whether it is told nothing"""


class WebhookShown(Received):
    """Where a tenant is told of what happens to its crawls."""

    webhook: str
    """its id"""
    url: str
    events: list[WebhookEvent]
    """what it is told of; none = everything but `crawl.progress`"""
    description: str
    disabled: bool
    """it is told nothing: by its owner, or because its receiver answered 410"""
    old_secret_until: AwareDatetime | None
    """until when messages are signed with the old secret as well"""
    created_at: AwareDatetime
    changed_at: AwareDatetime


class WebhookList(Received):
    """All webhooks of a tenant."""

    webhooks: list[WebhookShown]


class WebhookWithSecret(Received):
    """A webhook with its secret, which is shown this once."""

    webhook: str
    """its id"""
    url: str
    events: list[WebhookEvent]
    """what it is told of; none = everything but `crawl.progress`"""
    description: str
    disabled: bool
    """it is told nothing: by its owner, or because its receiver answered 410"""
    old_secret_until: AwareDatetime | None
    """until when messages are signed with the old secret as well"""
    created_at: AwareDatetime
    changed_at: AwareDatetime
    secret: str
    """verifies messages, as https://www.standardwebhooks.com describes"""


__all__ = [
    "AlternateShown",
    "ApiKey",
    "ApiKeyList",
    "ApiKeyWithSecret",
    "BlockerShown",
    "CrawlBill",
    "CrawlCounters",
    "CrawlExports",
    "CrawlInFull",
    "CrawlList",
    "CrawlOutline",
    "CrawlSettings",
    "CrawlStarted",
    "CrawlStatus",
    "CrawlSummaryModel",
    "DeliveryAttempt",
    "DeliveryInFull",
    "DeliveryList",
    "DeliveryOutline",
    "DeliveryState",
    "DiffKind",
    "DiffShown",
    "DifferenceShown",
    "Discovery",
    "ExportedFile",
    "FetchLimits",
    "Frequency",
    "GraphShown",
    "HeadingShown",
    "Health",
    "IssueList",
    "IssueName",
    "IssueShown",
    "LinkShown",
    "LinksShown",
    "NewApiKey",
    "NewCrawl",
    "NewSite",
    "NewTenant",
    "NewWebhook",
    "NodeShown",
    "NoticeShown",
    "OrphanList",
    "OrphanShown",
    "PageInFull",
    "PageList",
    "PageOrder",
    "PageShown",
    "Plan",
    "PoliteSettings",
    "Problem",
    "PropertyShown",
    "Role",
    "Rotation",
    "ScheduleModel",
    "ScopeMode",
    "ScopeSettings",
    "SecretRotation",
    "Settings",
    "SettingsChange",
    "Severity",
    "SiteChange",
    "SiteInFull",
    "SiteList",
    "SiteOutline",
    "SiteSchedule",
    "SitemapSettings",
    "StatisticsShown",
    "Tenant",
    "TenantChangeModel",
    "TenantInFull",
    "TenantList",
    "UrlState",
    "Usage",
    "WebhookChange",
    "WebhookEvent",
    "WebhookList",
    "WebhookShown",
    "WebhookWithSecret",
]
