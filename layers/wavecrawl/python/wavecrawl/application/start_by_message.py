"""Start the crawl that a signed message requests: once, even if the message is delivered several times."""

from collections.abc import Callable
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl, requested_site
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.errors import RepeatedMessageError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.repeats import KEPT, KeptAnswer, Repeats, Seen

DELETED = "deleted"
"""Status of a crawl that a message started and someone deleted since."""

_STARTING = 30.0  # seconds that the start of a crawl takes at most

Decide = Callable[[str, CrawlId], CrawlId]
"""Stores the crawl of a message's name: takes the name and a new ID, returns the ID that was stored first."""


class StartedCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """The crawl of a message."""

    crawl: CrawlId
    status: str  # as of now
    repeated: bool = False  # whether an earlier delivery of the message started it


def start_by_message(
    message: SignedMessage, requested: CrawlRequest, ports: Ports, operator: OperatorSettings
) -> StartedCrawl:
    """Return the crawl that the message started, now or before. Messages are remembered for a day.

    An attempt that died had already stored the crawl's ID: the next attempt continues with that crawl.

    Raise RepeatedMessageError if another delivery of the message is starting its crawl, or a message with its ID
    requested a crawl of another site; otherwise raise as `request_crawl`.
    """
    repeats, tenant, now = ports.repeats, operator.tenant, ports.clock.now()
    site = requested_site(requested)
    id_ = crawl_of_message(
        message, site, tenant=tenant, now=now, decide=lambda name, new: _decided(repeats, name, new, now=now)
    )
    token = _hash(f"{message.source}#{message.token}")
    begun = repeats.begin(tenant, f"{token}\0start", fingerprint=token, now=now, seconds=_STARTING)
    if isinstance(begun, Seen):
        if begun.answer is not None:
            return repeated_start(replace(id_, crawl=begun.answer.body), ports.crawls)
        raise repeated("another delivery of this message is starting a crawl", id_.crawl)
    try:
        row = request_crawl(id_, requested, ports, operator)
    except Exception:
        repeats.forget(begun)
        raise
    repeats.keep(begun, KeptAnswer(status=202, body=row.id.crawl), now=ports.clock.now())
    return StartedCrawl(crawl=row.id, status=row.status.value)


def repeated_start(crawl: CrawlId, crawls: Crawls) -> StartedCrawl:
    """Return the crawl that an earlier delivery of a message started."""
    row = crawls.read(crawl)
    return StartedCrawl(crawl=crawl, status=row.status.value if row else DELETED, repeated=True)


def crawl_of_message(message: SignedMessage, site: str, *, tenant: str, now: float, decide: Decide) -> CrawlId:
    """Return the ID of the message's crawl: a new one, or the one that an earlier delivery stored.

    Raise RepeatedMessageError if that delivery requested a crawl of another site.
    """
    name = _hash(f"{message.source}#{message.id}")
    decided = decide(name, CrawlId(tenant=tenant, site=site, crawl=crawl_id_at(now, name)))
    if decided.site != site:
        raise repeated("a message with this id requested a crawl of another site", decided.crawl)
    return decided


def repeated(why: str, crawl: str) -> RepeatedMessageError:
    """Return the error of a message that starts nothing because of an earlier delivery."""
    return RepeatedMessageError(f"{why}: {crawl}", crawl=crawl)


def _decided(repeats: Repeats, name: str, candidate: CrawlId, *, now: float) -> CrawlId:
    """Return the crawl that the first delivery stored. A site's ID has no slash."""
    chosen = f"{candidate.site}/{candidate.crawl}"
    begun = repeats.begin(candidate.tenant, f"{name}\0crawl", fingerprint=chosen, now=now, seconds=KEPT)
    if not isinstance(begun, Seen):
        return candidate
    site, _, crawl = begun.fingerprint.partition("/")
    return CrawlId(tenant=candidate.tenant, site=site, crawl=crawl)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
