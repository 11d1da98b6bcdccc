"""The batch job: the whole content of one queue message (at most 256 KiB)."""

from enum import StrEnum

import msgspec

from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.politeness.pace import Pace


class BatchKind(StrEnum):
    """The task of a worker for the URLs of a batch."""

    FETCH = "fetch"
    RENDER = "render"
    MEDIA = "media"
    CHECK = "check"
    RESOURCE = "resource"


LONGEST_VALIDATOR = 1_024
"""Maximum characters of a validator in a conditional request: a job must fit in a message with all its validators."""


class Validators(msgspec.Struct, frozen=True, kw_only=True):
    """What a site remembers of a page's last full response, to find out whether the page has changed.

    The validators make a request conditional (RFC 9110, section 8.8). If the server ignores them or sent none, the hash
    shows whether its response is the same.
    """

    etag: str = ""
    last_modified: str = ""
    body_hash: str = ""  # of domain/crawl/unchanged.py; "" = unknown
    record: str  # place (ports.archive) of the response's record, whose content an unchanged page still has

    @property
    def longest_json(self) -> int:
        """Return the maximum bytes of the validators as JSON, which escapes a character with at most six bytes."""
        return 6 * (len(self.etag) + len(self.last_modified)) + len(self.record) + len(self.body_hash) + 80


class JobItem(msgspec.Struct, frozen=True, kw_only=True):
    """One URL to fetch, or one fetched page to render."""

    url: str
    key: str
    depth: int
    tries: int  # number of this try, from 1
    validators: Validators | None = None  # None = an unconditional request
    render: bool = False  # to fetch: the page may ask for a browser; fetched: it is rendered
    barren: bool = False  # rendering added nothing to pages like it, so it counts as no shell
    failing: bool = False  # the rendering of pages like it failed, so it stays a shell
    sample: bool = False  # to fetch: the page may be rendered although it is complete
    has_browser: bool = False  # scripts of complete pages run, as far as pages like them gain something by it
    failed_renders: int = 0  # times that rendering the page failed
    document: str = ""  # render batches: place (ports.archive) of the record of the fetched page
    cookies: Cookies = ()  # that redirects to the page have set
    media: MediaKind | None = None  # media batches: what the asset is expected to be
    over_budget: bool = False  # too few bytes are left to render pages; what should be rendered has a problem
    reads_css: bool = False  # checks: what the URL loads is read, as pages load it as a stylesheet
    other_known: bool = False  # the other spelling (domain.urls.spellings) is known: a redirect to it is not followed


class CrawlId(msgspec.Struct, frozen=True, kw_only=True):
    """The id of a crawl, under which all its data is stored."""

    tenant: str
    site: str
    crawl: str

    @property
    def owned_site(self) -> tuple[str, str]:
        """Tenant and site: several tenants can have a site of the same id, as it is made from the URL."""
        return self.tenant, self.site

    def __str__(self) -> str:
        return f"{self.tenant}/{self.site}/{self.crawl}"


class BatchId(msgspec.Struct, frozen=True, kw_only=True):
    """The id of a batch."""

    crawl: CrawlId
    wave: int
    batch: int


class HostPart(msgspec.Struct, frozen=True, kw_only=True):
    """The URLs of one host in a batch, and when and how fast they may be requested."""

    host: str  # host[:port]
    count: int  # the next URLs of the batch
    starts_at: float  # Unix seconds; no request to the host may start before
    pace: Pace


class BatchJob(msgspec.Struct, frozen=True, kw_only=True):
    """One batch: at most `waves.batch_size` URLs of one kind, of one host or of several with few URLs each."""

    id: BatchId
    kind: BatchKind
    host: str  # host[:port]; of several, the first
    items: tuple[JobItem, ...]
    starts_at: float  # Unix seconds; no request may start before
    pace: Pace  # of `host`
    requests: int = 0  # that each URL may send; 0 = no limit
    parts: tuple[HostPart, ...] = ()  # of each host, in the order of the items; () = all URLs are of `host`

    @property
    def hosts(self) -> tuple[HostPart, ...]:
        """The parts of the batch, one for each host."""
        whole = HostPart(host=self.host, count=len(self.items), starts_at=self.starts_at, pace=self.pace)
        return self.parts or (whole,)
