"""The settings of a crawl with their defaults: a frozen value, copied when the crawl starts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_network

from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS, RANGES
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.urls.limits import MAX_URL_LENGTH, TRACKING_PARAMETERS
from wavecrawl.errors import InvalidSettingsError


class Discovery(StrEnum):
    """How URLs are discovered."""

    LINKS_FIRST = "links_first"
    SITEMAP_FIRST = "sitemap_first"
    LINKS_ONLY = "links_only"
    SITEMAP_ONLY = "sitemap_only"
    LIST = "list"


class ScopeMode(StrEnum):
    """Which hosts belong to the site."""

    ORIGIN = "origin"  # scheme, host and port of the root
    HOST_AND_WWW = "host_and_www"  # the host and its www. twin, http and https
    SUBDOMAINS = "subdomains"  # the host without www., and everything below it


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """Which URLs belong to the site. Patterns use `*` and match the full URL, the path, or path and query."""

    mode: ScopeMode = ScopeMode.ORIGIN
    path_prefix: str = "/"
    include: tuple[str, ...] = ()  # if given, a URL must match one of them; the root always belongs
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliteSettings:
    """The request rate towards one host, and the reaction to overload."""

    in_flight: int = 5  # concurrent requests
    interval: float = 0.04  # seconds between request starts; 0 = no interval
    obey_robots: bool = True
    adapt: bool = True  # slow down if the host is overloaded
    max_interval: float = 30.0  # seconds; upper limit of the adapted interval
    max_retry_after: float = 3600.0  # seconds; longer Retry-After values are cut to this
    cooldown: float = 30.0  # seconds of the circuit breaker's first pause; doubles each time
    max_cooldowns: int = 5  # pauses in a row without a response, after which the host is abandoned


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapSettings:
    """Limits of sitemap reading."""

    max_urls: int = 10_000  # per file
    timeout: float = 5.0  # seconds per file
    max_depth: int = 3  # nested indexes
    max_files: int = 1_000
    max_bytes: int = 50 * 1024 * 1024  # per file, as transferred and after decompression


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveSettings:
    """The size of waves and batches."""

    max_urls: int = 5_000  # per wave
    max_seconds: float = 600.0  # per wave and host, at the host's permitted rate
    batch_size: int = 100  # maximum URLs per batch; 25 for hosts without an interval
    min_batches: int = 8  # minimum batches per wave; halved for rate-limited hosts, but not below 25 URLs per batch
    max_batch_bytes: int = 128 * 1024 * 1024  # bodies a worker keeps per batch; it postpones the remaining URLs
    lease: float = 360.0  # seconds a worker owns a batch before another worker may take it over
    max_attempts: int = 5  # deliveries of a batch before its unfinished URLs are abandoned


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """The settings of a crawl. `validated` must have passed before use."""

    discovery: Discovery = Discovery.LINKS_FIRST
    urls: tuple[str, ...] = ()  # the URLs of discovery `list`
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    max_pages: int = 1_000  # fetched pages
    max_tries: int = 0  # page requests including retries; 0 = no limit
    max_depth: int = 25
    max_seconds: float = 0.0  # wall clock; 0 = no limit
    budget_usd: float = 0.0  # maximum AWS cost of the crawl in dollars; 0 = no limit
    max_frontier: int = 100_000  # pending URLs
    max_retries: int = 2
    retry_base: float = 1.0  # seconds; the delay before retry n is uniform in 0 .. base * 2^(n-1)
    retry_cap: float = 60.0  # seconds
    follow_redirects: bool = True
    max_redirects: int = 5
    follow_nofollow: bool = False
    max_url_length: int = MAX_URL_LENGTH
    max_links: int = 10_000  # per page
    tracking_parameters: tuple[str, ...] = TRACKING_PARAMETERS
    limits: FetchLimits = field(default_factory=FetchLimits)
    polite: PoliteSettings = field(default_factory=PoliteSettings)
    sitemaps: SitemapSettings = field(default_factory=SitemapSettings)
    waves: WaveSettings = field(default_factory=WaveSettings)
    revalidate: bool = True  # use conditional requests for known pages (ETag, Last-Modified)
    contact: str = ""  # contact URL or e-mail address in the User-Agent, for site owners
    robots_product: str = "wavecrawl"  # product token for matching robots.txt rules (RFC 9309 2.2.1)
    allowed_addresses: tuple[str, ...] = ()  # non-public networks that may be crawled, as CIDR

    def validated(self) -> "CrawlSettings":
        """Return self; raise InvalidSettingsError with all problems if a value is invalid."""
        problems = tuple(_problems(self))
        if problems:
            raise InvalidSettingsError(problems)
        return self


def _problems(settings: CrawlSettings) -> Iterator[str]:
    yield from _range_problems(settings)
    yield from _scope_problems(settings.scope)
    if settings.discovery is Discovery.LIST and not settings.urls:
        yield "urls must name at least one URL if discovery is 'list'"
    if settings.urls and settings.discovery is not Discovery.LIST:
        yield f"urls requires discovery 'list'; discovery is {settings.discovery.value!r}"
    if settings.contact and any(not c.isprintable() or c in "()" for c in settings.contact):
        yield f"contact must be a URL or e-mail address without parentheses or control characters: {settings.contact!r}"
    if not settings.robots_product.replace("-", "").replace("_", "").isalpha():
        yield f"robots_product may contain only letters, '-' and '_' (RFC 9309 2.2.1): {settings.robots_product!r}"
    for network in settings.allowed_addresses:
        try:
            ip_network(network)
        except ValueError as error:
            yield f"allowed_addresses must be networks such as 127.0.0.0/8: {error}"


def _scope_problems(scope: ScopeSettings) -> Iterator[str]:
    if not scope.path_prefix.startswith("/"):
        yield f"scope.path_prefix must start with '/': {scope.path_prefix!r}"
    for name, patterns in (("include", scope.include), ("exclude", scope.exclude)):
        if not all(pattern.strip() for pattern in patterns):
            yield f"scope.{name} has an empty pattern; remove it, or use '*' to match everything"


def _range_problems(settings: CrawlSettings) -> Iterator[str]:
    for path in RANGES:
        value: object = settings
        for name in path.split("."):
            value = getattr(value, name)
        problem = OPERATOR_BOUNDS.problem(path, value)
        if problem is not None:
            yield problem
