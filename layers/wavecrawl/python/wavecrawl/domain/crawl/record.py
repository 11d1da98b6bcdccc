"""The page record: one JSON line with everything about one try of one URL.

Frontier, counters, ledger, graph and all exports derive from records. There may be millions of them, so they are
msgspec structs, which cost a tenth of frozen dataclasses.
"""

from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct

from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.fetching.exchange import Cut, StoredPayload
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region


class Reason(StrEnum):
    """Why a URL is in its state."""

    NONE = ""
    # link filter and scope: properties of the URL itself
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    ASSET = "asset"
    TOO_LONG = "url_too_long"
    # properties of how the URL was found: another link may still add it
    NOFOLLOW = "nofollow"
    MAX_DEPTH = "max_depth"
    REDIRECT_LIMIT = "redirect_limit"
    LINKS_NOT_FOLLOWED = "links_not_followed"  # discovery mode list or sitemap_only
    # budgets
    MAX_PAGES = "max_pages"
    TIME_LIMIT = "time_limit"
    BUDGET = "budget"  # dollars
    FRONTIER_CAP = "frontier_cap"
    CANCELLED = "cancelled"
    # robots
    ROBOTS_RULE = "robots_rule"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    # redirects
    REDIRECT_OUT_OF_SCOPE = "redirect_out_of_scope"
    REDIRECT_BAD_TARGET = "redirect_bad_target"
    REDIRECT_LOOP = "redirect_loop"
    # results of requests
    STATUS = "status"  # see the HTTP status
    NOT_HTML = "not_html"
    EMPTY = "empty"
    HOST_UNAVAILABLE = "host_unavailable"
    HOST_PAUSED = "host_paused"  # deferred without a try, as the host is paused
    WORKER_OUT_OF_TIME = "worker_out_of_time"  # deferred, usually without a try, as the worker's time was up
    POISON = "poison"  # a batch of this URL alone failed too often
    DNS = "dns"
    BLOCKED_ADDRESS = "blocked_address"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    PROTOCOL = "protocol"
    DECODING = "decoding"
    BAD_URL = "url"
    REDIRECTS_NOT_FOLLOWED = "redirects_not_followed"  # follow_redirects is off
    MAX_TRIES = "max_tries"  # a budget; new members go to the end, as stored codes are positions
    WORKER_FULL = "worker_full"  # deferred without a try, as the worker's memory was full
    BATCH_FAILED = "batch_failed"  # deferred without a try, as its batch failed too often; planned again alone
    DELAY_TOO_LONG = "delay_too_long"  # robots.txt requires a longer delay than `polite.max_delay`
    RECORDS_LOST = "records_lost"  # deferred, as its stored record is missing or damaged; failed after too many times
    # recrawls: known from an earlier crawl of the site
    NOT_DUE = "not_due"  # not requested in this crawl, because of its mode
    QUARANTINED = "quarantined"  # failed in too many crawls in a row
    # traps, see `domain.traps`: a sitemap may still add the URL
    TRAP_CALENDAR = "trap_calendar"
    TRAP_PAGINATION = "trap_pagination"
    TRAP_SEGMENTS = "trap_segments"
    TRAP_PARAMETERS = "trap_parameters"
    TRAP_SESSION = "trap_session"
    TRAP_TEMPLATE = "trap_template"
    TRAP_JSON = "trap_json"
    RENDER = "render"  # deferred: the page was fetched, and is rendered next
    # media
    DOCUMENT = "document"  # a page request whose response is a document
    MEDIA_KIND = "media_kind"  # `media.include` does not contain its kind
    EMBED = "embed"  # a player of another site is listed only
    MAX_ASSETS = "max_assets"
    TOO_LARGE = "too_large"  # larger than the limit of its kind
    NOT_MEDIA = "not_media"  # the content is no usable image, video or document
    MAX_CHECKS = "max_checks"  # `checks.max_urls` URLs are checked already
    INVALID_URL = "invalid_url"  # a link that is no URL, so that no browser can open it
    INCOMPLETE = "incomplete"  # an asset that arrived in part, again and again
    # rendering
    RENDER_SAMPLE = "render_sample"  # deferred: a complete page was fetched; it is rendered if pages like it gain by it
    RENDER_FAILED = "render_failed"  # deferred: the page was fetched, and is rendered again
    # <link rel=alternate> of content that is no page: another link may still add it
    FEED = "feed"
    DATA = "data"  # oEmbed, JSON and other formats
    # the operator's controls
    DENIED_HOST = "denied_host"
    MONTHLY_BUDGET = "monthly_budget"  # dollars of the tenant or of the deployment
    PLANNER_MEMORY = "planner_memory"  # a limit of the deployment
    MAX_REQUESTS = "max_requests"  # a budget; deferred: the URL needs more requests than its wave had for it
    TOO_EXPENSIVE = "too_expensive"  # the page was fetched; reading it needs more than its budget
    # resources of a full archive
    MAX_RESOURCES = "max_resources"  # `archive.max_resources` others are requested already
    ARCHIVE_FULL = "archive_full"  # the resources before it have `archive.max_mb`
    CHALLENGE = "challenge"  # the response is that of a bot protection


AWAITS_BROWSER = (Reason.RENDER, Reason.RENDER_SAMPLE)
"""The reasons of records of pages that were fetched, and wait for a render batch."""

UNREACHABLE = MappingProxyType(
    {
        Reason.DNS: "the host name was not found (DNS)",
        Reason.CONNECT: "the host accepts no connection",
        Reason.TLS: "no secure connection can be made (TLS)",
        Reason.BAD_URL: "the address is not valid",
    }
)
"""Why a host cannot be reached. If that is so when its robots.txt is read, its URLs fail without a request."""


def unrequested_state(reason: Reason) -> UrlState:
    """Return the state of a URL that is not requested for this reason."""
    if reason in (Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE):
        return UrlState.ROBOTS_DENIED
    return UrlState.FAILED if reason in UNREACHABLE else UrlState.SKIPPED


TRAPS = (
    Reason.TRAP_CALENDAR,
    Reason.TRAP_PAGINATION,
    Reason.TRAP_SEGMENTS,
    Reason.TRAP_PARAMETERS,
    Reason.TRAP_SESSION,
    Reason.TRAP_TEMPLATE,
    Reason.TRAP_JSON,
)
"""The reasons of URLs that a rule against traps suppressed."""


SKIPPED_KINDS = MappingProxyType({LinkKind.FEED: Reason.FEED, LinkKind.DATA: Reason.DATA})
"""The reasons of URLs that only links of these kinds lead to."""


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """One resolved link of a page. A page has at most one link per target key: the first."""

    url: str  # the target's fetch URL: absolute, fragment and tracking parameters dropped
    key: str  # its url key, 32 hex digits
    kind: LinkKind
    region: Region
    text: str = ""
    nofollow: bool = False
    skip: Reason = Reason.NONE  # why the URL itself must not be crawled; NONE = may enter the frontier
    dom: bool = False  # only the rendered page has it
    rel: str = ""  # qualifiers of a link besides nofollow: "ugc", "sponsored" or both, separated by a space


class IdsAdded(StrEnum):
    """Whether scripts gave ids to elements of a complete page in a browser."""

    UNKNOWN = ""  # no browser loaded the page, or not completely, or its HTML was a shell
    NONE = "none"
    SOME = "some"


class FragmentLink(Struct, array_like=True, frozen=True, kw_only=True, gc=False):
    """One link of a page that leads to a part of a page of the site (`#part`). Stored as an array: there are many."""

    link: int  # position of the link to that page, from 1; 0 = the page leads to itself
    line: int  # of the HTML or DOM, from 1; 0 = not known
    fragment: str  # as written, at most 500 characters


class MediaReference(Struct, frozen=True, kw_only=True, gc=False):
    """One asset that a page uses. A page has at most one reference per asset URL: the first."""

    url: str  # the asset's fetch URL: absolute, without fragment; of an embed, the URL of its player
    key: str  # url key of the asset, 32 hex digits; differs from that of a page with the same URL
    kind: MediaKind
    source: MediaSource
    text: str = ""  # alternative text of an image, text of a link, title of a frame
    skip: Reason = Reason.NONE  # why the asset is not requested; NONE = it may be


class ResourceReference(Struct, frozen=True, kw_only=True, gc=False):
    """One image, script or stylesheet that a page loads. A page has at most one reference per URL: the first."""

    url: str  # absolute, without fragment
    key: str  # of `domain.checks.kinds.check_key`
    kind: CheckKind
    text: str = ""  # alternative text of an image
    skip: Reason = Reason.NONE  # why the resource is not checked; NONE = it may be


class Hop(Struct, frozen=True, kw_only=True, gc=False):
    """One redirect response."""

    url: str
    status: int
    location: str  # absolute


class PageRecord(Struct, frozen=True, kw_only=True, gc=False):
    """Everything about one try of one URL. Each URL has one terminal record; earlier tries have state DEFERRED."""

    key: str  # url key, 32 hex digits
    url: str  # fetch URL
    depth: int  # links from the root, as planned
    state: UrlState
    reason: Reason = Reason.NONE
    detail: str = ""  # one line for people
    tries: int = 1  # tries of the URL so far, including this one
    retry_after: float = 0.0  # seconds that the response asks to wait (Retry-After); DEFERRED: until the next try
    status: int | None = None
    content_type: str = ""  # as sent, without parameters, lower-cased
    charset: str = ""  # as decoded
    is_html: bool = False
    final_url: str = ""  # end of a redirect chain within the same identity; "" if there was none
    redirect_to: str = ""  # the target's fetch URL (REDIRECTED only)
    redirect_key: str = ""  # its url key
    redirect_skip: Reason = Reason.NONE  # why the target cannot be crawled
    cookies: Cookies = ()  # of the chain of redirects, for the request of the target; in no result
    hops: tuple[Hop, ...] = ()
    etag: str = ""
    last_modified: str = ""
    rules_hash: str = ""  # HTML only: hash of the rules that extracted values (`Extractor.hash`)
    header_canonical: str = ""  # absolute; Link: rel=canonical
    header_robots: tuple[str, ...] = ()  # lower-cased X-Robots-Tag directives for all crawlers or this one
    bytes: int = 0  # body as transferred
    decoded_bytes: int = 0
    truncated: bool = False  # the end of the content is missing
    truncated_reason: Cut = Cut.NONE  # why; an earlier version stored none
    response_time: float = 0.0  # seconds to the end of the headers
    elapsed: float = 0.0  # seconds to the last byte
    fetched_at: float = 0.0  # Unix seconds
    facts: PageFacts | None = None  # HTML pages only
    json_shape: int = 0  # hash of the keys of a JSON document, see `domain.pages.json_shape`; 0 = it is none
    links: tuple[Link, ...] = ()  # position in this tuple = link position
    fragments: tuple[FragmentLink, ...] = ()  # document order
    body_hash: str = ""  # of a 2xx response, with its Content-Type, 32 hex digits (domain/crawl/unchanged.py)
    link_hash: str = ""  # of the url keys that an HTML page links to, 16 hex digits
    warc_offset: int = 0  # position of the exchange in the batch's WARC object
    warc_length: int = 0  # 0 if nothing was stored
    payload: StoredPayload | None = None  # the response with the content, of a 2xx status; None = an earlier version
    body_at: str = ""  # unchanged pages: place (ports.archive) of the record with the content and the exchange
    shell: str = ""  # why the HTML is taken for a shell that JavaScript fills, in one line; "" = it is none
    rendered: bool = False  # whether the content is that of the page in a browser
    render_added: bool = False  # whether rendering added links or text, without the links of opened menus
    opened: tuple[str, ...] = ()  # url keys that only opened menus link to, of those that may enter the frontier
    render_problem: str = ""  # why the page was not rendered, or not completely, in one line
    render_failed: bool = False  # whether a browser loaded the page in vain
    scripted: bool = False  # whether scripts of the page may add links
    scripts_not_run: bool = False  # whether they may have added links that the crawl lacks, as there was no browser
    sampled: bool = False  # whether a browser loaded the page, which was complete, and added nothing
    text_added: bool = False  # whether rendering added text
    ids_added: IdsAdded = IdsAdded.UNKNOWN
    needed_action: str = ""  # what would show more links of the page and was not done, in one line
    exchange_at: str = ""  # place of the record with the exchange, if it is not this one or that at `body_at`
    screenshot: str = ""  # name (ports.screenshots) of the page's screenshot; "" = there is none
    media: tuple[MediaReference, ...] | None = None  # what the page uses, in document order; None = not read
    resources: tuple[ResourceReference, ...] | None = None  # scripts, stylesheets, images; None = not read
    asset: Asset | None = None  # media URLs only: the stored content
    brand: Brand | None = None  # of the root page only; None = nothing was found
    header_policies: tuple[str, ...] | None = None  # `domain.fetching.policies` of a 2xx response; None = not read
    requests: int = 1  # that were sent for this try, redirects included
    header_alternates: tuple[tuple[str, str], ...] = ()  # (language or "", absolute URL); Link: rel=alternate
    header_refresh: str = ""  # absolute; where a Refresh header leads; "" = there is none
    revalidated: bool = False  # the server confirmed the stored response with 304: status and sizes are those of it
    render_bytes: int = 0  # that the page received while it was rendered, in this try
    resource_rules: int = 0  # version of the rules that found `resources`: `RESOURCE_RULES` of the extraction
