"""A page record with only the fields that gather needs: others are not decoded."""

from msgspec import Struct

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.traps.evidence import PageEvidence

POSTPONED = (
    Reason.HOST_PAUSED,
    Reason.WORKER_OUT_OF_TIME,
    Reason.WORKER_FULL,
    Reason.BATCH_FAILED,
    Reason.CANCELLED,
    Reason.TIME_LIMIT,
    Reason.BUDGET,
    Reason.MONTHLY_BUDGET,
    Reason.RECORDS_LOST,
)
"""Reasons of URLs that are planned again."""
UNTRIED = (*POSTPONED, Reason.POISON, Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE, Reason.DELAY_TOO_LONG)
"""Reasons of URLs to whose host no request was made."""


class LinkView(Struct, frozen=True, kw_only=True, gc=False):
    """A link of a record, with the fields that gather needs."""

    url: str
    key: str
    text: str = ""
    nofollow: bool = False
    skip: Reason = Reason.NONE
    dom: bool = False


class MediaView(Struct, frozen=True, kw_only=True, gc=False):
    """A reference to an asset, with the fields that gather needs."""

    url: str
    key: str
    kind: MediaKind
    skip: Reason = Reason.NONE


class ResourceView(Struct, frozen=True, kw_only=True, gc=False):
    """A reference to a resource, with the fields that gather needs."""

    url: str
    key: str
    kind: CheckKind
    skip: Reason = Reason.NONE


class FactsView(Struct, frozen=True, kw_only=True, gc=False):
    """The facts of a page that gather needs."""

    robots: tuple[str, ...] = ()
    title: str = ""
    simhash: int = 0
    word_sketch: bytes = b""
    text_hash: str = ""
    word_set: int = 0
    pictures: int = 0
    hreflang: tuple[tuple[str, str], ...] = ()

    @property
    def text_is_unknown(self) -> bool:
        """Whether no text was read, as the settings say."""
        return bool(self.text_hash) and not (self.simhash or self.word_sketch)


class RecordView(Struct, frozen=True, kw_only=True):
    """A page record, with the fields that gather needs."""

    key: str
    url: str
    state: UrlState
    reason: Reason = Reason.NONE
    detail: str = ""
    tries: int = 1
    retry_after: float = 0.0
    status: int | None = None
    redirect_to: str = ""
    redirect_key: str = ""
    redirect_skip: Reason = Reason.NONE
    cookies: Cookies = ()
    header_robots: tuple[str, ...] = ()
    body_at: str = ""
    response_time: float = 0.0
    elapsed: float = 0.0
    fetched_at: float = 0.0
    requests: int = 1
    render_bytes: int = 0
    bytes: int = 0
    facts: FactsView | None = None
    json_shape: int = 0
    links: tuple[LinkView, ...] = ()
    media: tuple[MediaView, ...] | None = None
    resources: tuple[ResourceView, ...] | None = None
    rendered: bool = False
    render_added: bool = False
    opened: tuple[str, ...] = ()
    shell: str = ""
    render_problem: str = ""
    render_failed: bool = False
    sampled: bool = False
    text_added: bool = False
    place: str = ""  # not stored: that of a page that is rendered next (`AWAITS_BROWSER`)
    evidence: PageEvidence | None = None  # not stored: `trap_evidence.evidence_of`, before links are dropped

    @property
    def tried(self) -> bool:
        """Return whether a request was made."""
        return self.reason not in UNTRIED
