"""The settings of a crawl with their defaults: a frozen value, copied when the crawl starts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated

import msgspec

from wavecrawl.domain.archive.settings import ArchiveSettings
from wavecrawl.domain.brand.settings import BrandSettings
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.objectives import ObjectiveSettings
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS, RANGES
from wavecrawl.domain.fetching.accepted_languages import LONGEST, is_accept_language
from wavecrawl.domain.fetching.allowed_networks import allowed_network
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.focus.settings import FocusSettings, Strategy
from wavecrawl.domain.focus.terms import MOST_TERMS, terms_of
from wavecrawl.domain.focus.words import NUMBER, words_of
from wavecrawl.domain.graph.issue_settings import IssueSettings, issue_problems
from wavecrawl.domain.graph.settings import GraphSettings
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.domain.pages.duplicates import DuplicateSettings
from wavecrawl.domain.pages.extraction_rules import ExtractSettings, form_problems
from wavecrawl.domain.pages.robots_directives import PRODUCT
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings
from wavecrawl.domain.rendering.settings import RenderSettings, is_root
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.traps.settings import TrapSettings
from wavecrawl.domain.urls.limits import (
    IGNORED_PARAMETERS,
    MAX_LINKS,
    MAX_PAGE_CPU,
    MAX_URL_LENGTH,
    SESSION_PARAMETERS,
    TRACKING_PARAMETERS,
)
from wavecrawl.domain.urls.path_numbers import number_problems
from wavecrawl.errors import InvalidSettingsError

_LEAST_FRONTIER = 100_000  # URLs
_FRONTIER_PER_PAGE = 20  # URLs per page of `max_pages`
_LONGEST_SUFFIX = 200  # characters of `user_agent_suffix`
_AGENT_SUFFIX = re.compile(  # RFC 9110 sections 5.6.2, 5.6.5 and 10.1.5; comments without comments inside
    r"|(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?|\([ -'*-\[\]-~]*\))"
    r"(?: (?:[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?|\([ -'*-\[\]-~]*\)))*"
)
MAX_ALSO_OBEYED = 10  # product tokens; each costs a check of every URL


class Discovery(StrEnum):
    """How URLs are found.

    - `links_first`: follow links, then crawl pages that only sitemaps list
    - `sitemap_first`: crawl the pages that sitemaps list, then follow links
    - `links_only`: follow links, ignore sitemaps
    - `sitemap_only`: crawl the pages that sitemaps list, follow no links
    - `list`: crawl the given URLs, follow no links
    """

    LINKS_FIRST = "links_first"
    SITEMAP_FIRST = "sitemap_first"
    LINKS_ONLY = "links_only"
    SITEMAP_ONLY = "sitemap_only"
    LIST = "list"


class ScopeMode(StrEnum):
    """Which hosts belong to the site.

    - `origin`: scheme, host and port of the root URL
    - `host_and_www`: the host with and without `www.`, over http and https
    - `subdomains`: the host without `www.` and all its subdomains
    """

    ORIGIN = "origin"
    HOST_AND_WWW = "host_and_www"
    SUBDOMAINS = "subdomains"


class ScopeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which URLs belong to the site.

    In patterns, `*` matches any text, and `[0-9]` one character of a range. A pattern must match the whole URL, the
    path, or the path with the query, however they are percent-encoded.
    """

    mode: ScopeMode = ScopeMode.ORIGIN
    path_prefix: Annotated[str, "Only URLs whose path starts with this text belong to the site."] = "/"
    include: Annotated[
        tuple[str, ...],
        "Patterns of URLs to crawl, such as `/docs/*`. The root URL is always crawled.",
    ] = ()
    exclude: Annotated[tuple[str, ...], "Patterns of URLs not to crawl, such as `*.pdf`."] = ()


class WaveSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The size of waves and batches."""

    max_urls: Annotated[int, "Maximum number of URLs per wave."] = 5_000
    best_first_urls: Annotated[
        int, "Maximum number of URLs per wave with strategy `best_first`, until `best_first_share` allows more."
    ] = 32
    best_first_share: Annotated[
        float, "Maximum size of a wave with strategy `best_first`, as a share of the URLs that are done."
    ] = 0.1
    max_seconds: Annotated[float, "Maximum seconds that a wave takes per host at the host's permitted rate."] = 600.0
    batch_size: Annotated[int, "Maximum number of URLs per batch; 25 for hosts without an interval."] = 100
    render_batch_size: Annotated[int, "Maximum number of pages per render batch; each takes seconds."] = 10
    min_batches: Annotated[
        int,
        "Minimum number of batches per wave; halved for rate-limited hosts, but not below 25 URLs per batch.",
    ] = 8
    max_batch_bytes: Annotated[
        int, "Maximum number of bytes of bodies that a worker keeps per batch; it postpones the remaining URLs."
    ] = 128 * 1024 * 1024
    max_batch_links: Annotated[
        int,
        "Number of links of its pages at which a worker postpones the remaining URLs of a batch, as the planner reads "
        "the links of a batch together.",
    ] = 400_000
    max_bytes_in_flight: Annotated[
        int, "Maximum number of bytes of bodies in the memory of a worker."  # see `application/body_room.py`
    ] = 96 * 1024 * 1024
    lease: Annotated[float, "Seconds that a worker owns a batch before another worker may take it over."] = 360.0
    max_attempts: Annotated[
        int, "Maximum number of deliveries of a batch, and of lost records of a URL, before URLs are abandoned."
    ] = 5
    part_pages: Annotated[int, "Number of settled URLs after which a part of the results ends."] = 2_500
    part_seconds: Annotated[
        float, "Number of seconds after which a part of the results ends, if it has any settled URL."
    ] = 120.0


class CrawlSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a crawl."""

    discovery: Discovery = Discovery.LINKS_FIRST
    strategy: Strategy = Strategy.BFS
    focus: FocusSettings = msgspec.field(default_factory=FocusSettings)
    urls: Annotated[
        tuple[str, ...],
        "URLs to crawl with discovery `list`. The ledger of the crawl lists them. They must fit into "
        "the body of a request, which is limited by the deployment's `max_body_bytes` (64 KiB by default). In AWS, the "
        "compressed settings of a saved site must not exceed 350 KiB. Upload more URLs as a list, and set `url_list`.",
    ] = ()
    url_list: Annotated[
        str,
        "ID of an uploaded list of URLs to crawl with discovery `list`, in place of `urls`. Each crawl copies the list "
        "when it is requested.",
    ] = ""
    mode: Mode = Mode.FULL
    scope: ScopeSettings = msgspec.field(default_factory=ScopeSettings)
    max_pages: Annotated[int, "Maximum number of pages with state `fetched` or `unchanged`."] = 1_000
    max_tries: Annotated[
        int, "Maximum number of attempts to fetch pages in the whole crawl, retries included. 0: no limit."
    ] = 0
    max_requests: Annotated[
        int,
        "Maximum number of requests of the whole crawl, of every kind: pages, redirects, retries, robots.txt, "
        "sitemaps, checks and media. What a browser loads for rendered pages is limited by `render.max_requests`, "
        "`render.max_bytes` and `render.max_crawl_bytes` instead. 0: no limit.",
    ] = 0
    max_depth: Annotated[int, "Maximum depth: number of links to follow from the root URL."] = 25
    max_seconds: Annotated[float, "Maximum duration of the crawl in seconds. 0: no limit."] = 0.0
    budget_usd: Annotated[float, "Maximum AWS cost of the crawl in US dollars. 0: no limit."] = 0.0
    max_frontier: Annotated[
        int,
        "Maximum number of URLs in the frontier, where they wait to be fetched. 0: 20 times `max_pages`, but at least "
        "100,000. URLs of least importance wait outside the frontier; if the crawl ends first, they are skipped "
        "(reason `frontier_cap`).",
    ] = 0
    max_retries: Annotated[int, "Maximum number of retries per page after temporary errors."] = 2
    retry_base: Annotated[
        float,
        "Delay before retry n (from 1): a random number of seconds between 0 and `retry_base` * 2^(n-1), at most "
        "`retry_cap`. If `Retry-After` of the response is longer, it applies, up to `polite.max_retry_after`.",
    ] = 1.0
    retry_cap: Annotated[float, "Maximum of the random delay before a retry, in seconds."] = 60.0
    follow_redirects: Annotated[bool, "Whether to follow redirects."] = True
    max_redirects: Annotated[
        int, "Maximum number of redirects in a row. Checks of URLs that are not pages follow 20, as browsers do."
    ] = 5
    follow_nofollow: Annotated[bool, "Whether to follow links with `rel=nofollow`."] = False
    max_url_length: Annotated[
        int,
        "Maximum length of a URL in characters. Longer URLs are skipped; the results have their beginning and a hash.",
    ] = MAX_URL_LENGTH
    max_links: Annotated[int, "Maximum number of links read from one page. Further links are ignored."] = MAX_LINKS
    max_page_cpu: Annotated[
        float,
        "Maximum seconds of processor time to read one page: its links, facts, text and the values of extraction "
        "rules. A page that needs more fails (reason `too_expensive`).",
    ] = MAX_PAGE_CPU
    text: TextChoice = TextChoice.MAIN
    log_urls: Annotated[
        float,
        "Share of the URLs that have a line in the log of the service for each try, with state, status and times, and "
        "one if a limit or a rule against traps keeps them from being requested. 1: every URL. 0: none. The choice "
        "depends on the URL only.",
    ] = 0.01
    tracking_parameters: Annotated[
        tuple[str, ...],
        "Query parameters that are removed from all URLs, as they do not change the page. Case is ignored, and a final "
        "`*` matches any text.",
    ] = TRACKING_PARAMETERS
    session_parameters: Annotated[
        tuple[str, ...],
        "Query and path parameters that are removed from all URLs if their value looks like the token of a session: 16 "
        "or more characters of hex or base64, but not words. The names are matched like those of "
        "`tracking_parameters`.",
    ] = SESSION_PARAMETERS
    ignored_parameters: Annotated[
        tuple[str, ...],
        "Query parameters that are requested as they are, but do not make another page: of URLs that differ only in "
        "them, the first is requested. The names are matched like those of `tracking_parameters`.",
    ] = IGNORED_PARAMETERS
    limits: FetchLimits = msgspec.field(default_factory=FetchLimits)
    polite: PoliteSettings = msgspec.field(default_factory=PoliteSettings)
    sitemaps: SitemapSettings = msgspec.field(default_factory=SitemapSettings)
    waves: WaveSettings = msgspec.field(default_factory=WaveSettings)
    render: RenderSettings = msgspec.field(default_factory=RenderSettings)
    media: MediaSettings = msgspec.field(default_factory=MediaSettings)
    archive: ArchiveSettings = msgspec.field(default_factory=ArchiveSettings)
    checks: CheckSettings = msgspec.field(default_factory=CheckSettings)
    brand: BrandSettings = msgspec.field(default_factory=BrandSettings)
    extract: ExtractSettings = msgspec.field(default_factory=ExtractSettings)
    recrawl: RecrawlSettings = msgspec.field(default_factory=RecrawlSettings)
    traps: TrapSettings = msgspec.field(default_factory=TrapSettings)
    duplicates: DuplicateSettings = msgspec.field(default_factory=DuplicateSettings)
    graph: GraphSettings = msgspec.field(default_factory=GraphSettings)
    issues: IssueSettings = msgspec.field(default_factory=IssueSettings)
    objectives: ObjectiveSettings = msgspec.field(default_factory=ObjectiveSettings)
    knowledge: KnowledgeSettings = msgspec.field(default_factory=KnowledgeSettings)
    files_at_once: Annotated[
        tuple[ResultFile, ...],
        "Result files that are created when the crawl ends. Those that are not named are created when they are first "
        "needed. All other results are always created when the crawl ends.",
    ] = ()
    complete_wacz: Annotated[
        bool,
        "Whether `crawl.wacz` also contains the stored responses of pages that have not changed since an earlier "
        "crawl, so that it shows the whole site without the packages of earlier crawls. Always with "
        "`archive.content` `full`.",
    ] = False
    revalidate: Annotated[
        bool, "Whether to send conditional requests for pages known from an earlier crawl of the site."
    ] = True
    contact: Annotated[str, "URL or e-mail address in the User-Agent, for owners of crawled sites."] = ""
    user_agent_suffix: Annotated[
        str, "Added to the User-Agent, such as `staging-audit/2.1`: products and comments (RFC 9110 section 10.1.5)."
    ] = ""
    accept_language: Annotated[
        str,
        "Languages that requests ask for by `Accept-Language`, such as `de-CH, de;q=0.8` (RFC 9110 section 12.5.4). "
        "Empty: requests ask for none, and rendered pages for `en-US`.",
    ] = ""
    robots_product: Annotated[
        str,
        "Product token that the rules of robots.txt are matched with (RFC 9309 section 2.2.1), and X-Robots-Tag and "
        "`<meta>` of pages.",
    ] = PRODUCT
    also_obey: Annotated[
        tuple[str, ...],
        "Product tokens of other crawlers, such as `Googlebot`, at most 10. A URL is requested only if robots.txt "
        "allows it for these crawlers too. The longest `Crawl-delay` applies.",
    ] = ()
    allowed_addresses: Annotated[
        tuple[str, ...], "Non-public networks that may be crawled, such as 10.0.0.0/8 or 10.1.2.3:8080."
    ] = ()

    @property
    def frontier_limit(self) -> int:
        """The maximum number of waiting URLs that `max_frontier` stands for."""
        return self.max_frontier or max(_LEAST_FRONTIER, _FRONTIER_PER_PAGE * self.max_pages)

    @property
    def lists_media(self) -> bool:
        """Whether the results list media URLs: of media that the crawl stores, or of the resources of its archive."""
        return bool(self.media.include) or self.archive.is_full

    @property
    def packs_unchanged(self) -> bool:
        """Whether `crawl.wacz` also contains what has not changed since an earlier crawl."""
        return self.complete_wacz or self.archive.is_full

    def validated(self) -> "CrawlSettings":
        """Return self; raise InvalidSettingsError with all problems if a value is invalid."""
        problems = tuple(_problems(self))
        if problems:
            raise InvalidSettingsError(problems)
        return self


def _problems(settings: CrawlSettings) -> Iterator[str]:
    yield from _range_problems(settings)
    if not settings.scope.path_prefix.startswith("/"):
        yield f"scope.path_prefix must start with '/': {settings.scope.path_prefix!r}"
    yield from _pattern_problems("scope", {"include": settings.scope.include, "exclude": settings.scope.exclude})
    yield from _focus_problems(settings.focus)
    yield from _root_problems(settings.render.detect.roots)
    yield from form_problems(settings.extract.rules)
    yield from issue_problems(settings.issues)
    yield from _list_problems(settings)
    yield from _agent_problems(settings)
    if settings.mode is not Mode.FULL and settings.discovery in (Discovery.LIST, Discovery.SITEMAP_ONLY):
        yield f"mode {settings.mode.value!r} follows links, but discovery {settings.discovery.value!r} follows none"
    least, most = RANGES["recrawl.interval"]
    yield from number_problems("recrawl.intervals", settings.recrawl.intervals, low=least, high=most)
    if settings.recrawl.min_interval > settings.recrawl.max_interval:
        yield "recrawl.min_interval must not be longer than recrawl.max_interval"
    if settings.knowledge.overlap_characters >= settings.knowledge.passage_characters:
        yield "knowledge.overlap_characters must be smaller than knowledge.passage_characters"
    yield from _robots_problems(settings)
    for network in settings.allowed_addresses:
        try:
            allowed_network(network)
        except ValueError as error:
            yield f"allowed_addresses must be networks such as 127.0.0.0/8: {error}"


def _list_problems(settings: CrawlSettings) -> Iterator[str]:
    is_list = settings.discovery is Discovery.LIST
    if is_list and not settings.urls and not settings.url_list:
        yield "urls must name at least one URL if discovery is 'list', or url_list an uploaded list"
    if settings.urls and settings.url_list:
        yield "urls and url_list must not both be set; upload one list with all URLs"
    for name in ("urls", "url_list"):
        if getattr(settings, name) and not is_list:
            yield f"{name} requires discovery 'list'; discovery is {settings.discovery.value!r}"


def _agent_problems(settings: CrawlSettings) -> Iterator[str]:
    if settings.contact and any(not c.isprintable() or c in "()" for c in settings.contact):
        yield f"contact must be a URL or e-mail address without parentheses or control characters: {settings.contact!r}"
    if len(settings.user_agent_suffix) > _LONGEST_SUFFIX or not _AGENT_SUFFIX.fullmatch(settings.user_agent_suffix):
        yield (
            f"user_agent_suffix must be products such as name/1.0 and comments in parentheses, at most "
            f"{_LONGEST_SUFFIX} characters: {settings.user_agent_suffix[:_LONGEST_SUFFIX]!r}"
        )
    languages = settings.accept_language
    if languages and not is_accept_language(languages):
        yield (
            f"accept_language must be languages such as 'de-CH, de;q=0.8', at most {LONGEST} characters: "
            f"{languages[:LONGEST]!r}"
        )


def _focus_problems(focus: FocusSettings) -> Iterator[str]:
    for term in focus.terms:
        if not {*words_of(term)} - {NUMBER}:
            yield f"focus.terms must contain words; numbers do not count: {term!r}"
    if (count := len(terms_of(focus.terms))) > MOST_TERMS:
        yield f"focus.terms may have at most {MOST_TERMS} terms; it has {count}"
    yield from number_problems("focus.path_weights", focus.path_weights, low=0, high=1)
    lanes = {"critical": focus.lanes.critical, "docs": focus.lanes.docs, "blog": focus.lanes.blog}
    yield from _pattern_problems("focus.lanes", lanes)


def _root_problems(roots: Iterable[str]) -> Iterator[str]:
    for root in roots:
        if not is_root(root):
            yield f"render.detect.roots must be '#id', a tag name or '[attribute]': {root!r}"


def _robots_problems(settings: CrawlSettings) -> Iterator[str]:
    named = [("robots_product", settings.robots_product), *(("also_obey", token) for token in settings.also_obey)]
    for name, token in named:
        if not token.replace("-", "").replace("_", "").isalpha():
            yield f"{name} may contain only letters, '-' and '_' (RFC 9309 2.2.1): {token!r}"
    if len(settings.also_obey) > MAX_ALSO_OBEYED:
        yield f"also_obey may have at most {MAX_ALSO_OBEYED} product tokens; it has {len(settings.also_obey)}"


def _pattern_problems(group: str, settings: Mapping[str, Iterable[str]]) -> Iterator[str]:
    for name, patterns in settings.items():
        if not all(pattern.strip() for pattern in patterns):
            yield f"{group}.{name} has an empty pattern; remove it, or use '*' to match everything"


def _range_problems(settings: CrawlSettings) -> Iterator[str]:
    for path in RANGES:
        value: object = settings
        for name in path.split("."):
            value = getattr(value, name)
        problem = OPERATOR_BOUNDS.problem(path, value)
        if problem is not None:
            yield problem
