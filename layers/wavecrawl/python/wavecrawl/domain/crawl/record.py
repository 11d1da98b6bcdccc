"""The page record: the one line that tells everything about one attempted URL.

Records are the source of truth: frontier, counters, ledger, graph and every export derive from them. They and
their links come by the million; as structs of msgspec they cost a tenth of what frozen dataclasses do.
They are stored one JSON object a line; `adapters` encode and decode them, this module gives their shape.
"""

from enum import StrEnum

from msgspec import Struct

from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region


class Reason(StrEnum):
    """Why a URL is in its state. The values are what people read in the ledger."""

    NONE = ""
    # link filter and scope: properties of the URL itself
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    ASSET = "asset"
    TOO_LONG = "url_too_long"
    # properties of the way the URL was found: a better way may still bring it in
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
    # endings of requests
    STATUS = "status"  # the HTTP status says it
    NOT_HTML = "not_html"
    EMPTY = "empty"
    HOST_UNAVAILABLE = "host_unavailable"
    HOST_PAUSED = "host_paused"  # deferred without a try: the host asked for a pause
    WORKER_OUT_OF_TIME = "worker_out_of_time"  # its worker had to end: deferred, mostly without a try
    POISON = "poison"  # its batch failed again and again
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
    MAX_TRIES = "max_tries"  # another budget: what is stored counts these from the top
    WORKER_FULL = "worker_full"  # deferred without a try: its worker had as much to keep as it can


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """One link of a page, resolved: each target key once per page, the first one wins."""

    url: str  # the target's fetch URL: absolute, fragment and tracking parameters dropped
    key: str  # its url key, 32 hex digits
    kind: LinkKind
    region: Region
    text: str = ""
    nofollow: bool = False
    skip: Reason = Reason.NONE  # a reason of the URL itself not to crawl it; NONE = may enter the frontier


class Hop(Struct, frozen=True, kw_only=True, gc=False):
    """One redirect answer on the way."""

    url: str
    status: int
    location: str  # absolute


class PageRecord(Struct, frozen=True, kw_only=True, gc=False):
    """Everything about one try of one URL. Retries leave a record in state DEFERRED; exactly one record is terminal."""

    key: str  # url key, 32 hex digits
    url: str  # fetch URL
    depth: int  # links from the root, as planned
    state: UrlState
    reason: Reason = Reason.NONE
    detail: str = ""  # one line for people
    tries: int = 1  # how many times the URL has been tried, this one included
    retry_after: float = 0.0  # seconds until it may be tried again (DEFERRED only)
    status: int | None = None
    content_type: str = ""  # as sent, without parameters, lower-cased
    charset: str = ""  # as decoded
    is_html: bool = False
    final_url: str = ""  # where a same-identity redirect chain ended; "" where there was none
    redirect_to: str = ""  # the target's fetch URL, where the state is REDIRECTED
    redirect_key: str = ""  # its url key
    redirect_skip: Reason = Reason.NONE  # why the target cannot be crawled
    hops: tuple[Hop, ...] = ()
    etag: str = ""
    last_modified: str = ""
    header_canonical: str = ""  # absolute; Link: rel=canonical
    header_robots: tuple[str, ...] = ()  # lower-cased directives of X-Robots-Tag that address everyone or us
    bytes: int = 0  # body as transferred
    decoded_bytes: int = 0
    truncated: bool = False
    response_time: float = 0.0  # seconds to the end of the headers
    elapsed: float = 0.0  # seconds to the last byte
    fetched_at: float = 0.0  # Unix seconds
    facts: PageFacts | None = None  # HTML pages only
    links: tuple[Link, ...] = ()  # position in this tuple = link position
    warc_offset: int = 0  # where its exchange stands in the batch's WARC object
    warc_length: int = 0  # 0 where nothing was stored
    body_at: str = ""  # of an unchanged page: the place (ports.archive) of the record whose exchange has the body
