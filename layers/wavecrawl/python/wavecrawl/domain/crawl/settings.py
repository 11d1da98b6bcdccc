"""The settings of a crawl: one frozen value, copied when the crawl starts. Every limit is here, with its default."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_network

from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS, RANGES
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.urls.limits import MAX_URL_LENGTH, TRACKING_PARAMETERS
from wavecrawl.errors import InvalidSettingsError


class Discovery(StrEnum):
    """How URLs come into the frontier (spec [2])."""

    LINKS_FIRST = "links_first"
    SITEMAP_FIRST = "sitemap_first"
    LINKS_ONLY = "links_only"
    SITEMAP_ONLY = "sitemap_only"
    LIST = "list"


class ScopeMode(StrEnum):
    """Which hosts belong to the site (spec [3])."""

    ORIGIN = "origin"  # scheme, host and port of the root
    HOST_AND_WWW = "host_and_www"  # the host and its www. twin, http and https
    SUBDOMAINS = "subdomains"  # the host without www., and everything below it


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """What belongs to the site. Patterns use `*`, and match the full URL, the path, or path + query."""

    mode: ScopeMode = ScopeMode.ORIGIN
    path_prefix: str = "/"
    include: tuple[str, ...] = ()  # where given, a URL must match one of them (the root always belongs)
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliteSettings:
    """The pace towards one host (design 8)."""

    in_flight: int = 5  # requests open at once
    interval: float = 0.04  # seconds between request starts; 0 = no pause
    obey_robots: bool = True
    adapt: bool = True  # slow down where the host shows strain
    max_interval: float = 30.0  # the slowest pace that adapting may reach, seconds
    max_retry_after: float = 3600.0  # a longer Retry-After is cut to this, seconds
    cooldown: float = 30.0  # the first pause of the circuit breaker, seconds; doubles each time
    max_cooldowns: int = 5  # pauses in a row without one answer; then the host is given up


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapSettings:
    """Bounds of sitemap reading (spec [8])."""

    max_urls: int = 10_000  # per file
    timeout: float = 5.0  # seconds per file
    max_depth: int = 3  # nested indexes
    max_files: int = 1_000
    max_bytes: int = 50 * 1024 * 1024  # per file, as transferred and after decompression


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveSettings:
    """How work is cut."""

    max_urls: int = 5_000
    max_seconds: float = 600.0  # of polite work
    batch_size: int = 100  # URLs at most; of hosts without pauses no batch has more than 25
    min_batches: int = 8  # of a wave; of hosts with pauses half as many, or fewer where they had less than 25 URLs each
    max_batch_bytes: int = 128 * 1024 * 1024  # of bodies that a worker keeps of one batch; then its rest is postponed
    lease: float = 360.0  # seconds a batch is owned before somebody else may take it over
    max_attempts: int = 5  # deliveries of one batch before its open URLs are given up


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """Everything that decides how a crawl runs. `validated` must have passed before use."""

    discovery: Discovery = Discovery.LINKS_FIRST
    urls: tuple[str, ...] = ()  # the URLs of discovery `list`
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    max_pages: int = 1_000  # fetched pages
    max_tries: int = 0  # of pages, of which one may take several; 0 = no limit
    max_depth: int = 25
    max_seconds: float = 0.0  # wall clock; 0 = no limit
    budget_usd: float = 0.0  # what the crawl may cost in AWS, dollars; 0 = no limit
    max_frontier: int = 100_000  # pending URLs
    max_retries: int = 2
    retry_base: float = 1.0  # seconds; the back-off before try n is uniform in 0 .. base * 2^(n-1)
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
    revalidate: bool = True  # ask whether pages changed since the last crawl of the site (ETag, Last-Modified)
    contact: str = ""  # URL or mail address the User-Agent names, for people whose site is crawled (design 8)
    robots_product: str = "wavecrawl"  # the product token that robots.txt rules are matched with (RFC 9309 2.2.1)
    allowed_addresses: tuple[str, ...] = ()  # networks outside the public internet that may be requested, as CIDR

    def validated(self) -> "CrawlSettings":
        """Return self; raise InvalidSettingsError, naming every problem, where a value does not hold."""
        problems = tuple(_problems(self))
        if problems:
            raise InvalidSettingsError(problems)
        return self


def _problems(settings: CrawlSettings) -> Iterator[str]:
    yield from _range_problems(settings)
    yield from _scope_problems(settings.scope)
    if settings.discovery is Discovery.LIST and not settings.urls:
        yield "urls must name at least one URL where discovery is 'list'"
    if settings.urls and settings.discovery is not Discovery.LIST:
        yield f"urls belongs to discovery 'list' alone; discovery is {settings.discovery.value!r}"
    if settings.contact and any(not c.isprintable() or c in "()" for c in settings.contact):
        yield f"contact must be a URL or mail address of printable characters without brackets: {settings.contact!r}"
    if not settings.robots_product.replace("-", "").replace("_", "").isalpha():
        yield f"robots_product may hold letters, '-' and '_' only (RFC 9309 2.2.1): {settings.robots_product!r}"
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
            yield f"scope.{name} has an empty pattern; leave it out, or write '*' for everything"


def _range_problems(settings: CrawlSettings) -> Iterator[str]:
    for path in RANGES:
        value: object = settings
        for name in path.split("."):
            value = getattr(value, name)
        problem = OPERATOR_BOUNDS.problem(path, value)
        if problem is not None:
            yield problem
