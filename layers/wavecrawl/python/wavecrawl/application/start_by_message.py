"""Start the crawl that a message requests: once, even if the message is delivered several times."""

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
from wavecrawl.ports.repeats import MESSAGES_KEPT, KeptAnswer, Repeats, Seen

DELETED = "deleted"
"""Status of a crawl that a message started and someone deleted since."""

_STARTING = 30.0  # seconds that the start of a crawl takes at most


class StartedCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """The crawl of a message."""

    crawl: CrawlId
    status: str  # as of now
    repeated: bool = False  # whether an earlier delivery of the message started it


def start_by_message(
    message: SignedMessage, requested: CrawlRequest, ports: Ports, operator: OperatorSettings
) -> StartedCrawl:
    """Return the crawl that the message started, now or before. Messages are remembered for seven days.

    An attempt that died had already stored the crawl's ID: the next attempt continues with that crawl.

    Raise RepeatedMessageError if another delivery of the message is starting its crawl, or a message with its ID
    requested a crawl of another site; otherwise raise as `request_crawl`.
    """
    repeats, now, site = ports.repeats, ports.clock.now(), requested_site(requested)
    name = _hash(f"{message.source}#{message.id}")
    id_ = crawl_of_message(repeats, name, tenant=operator.tenant, site=site, now=now)
    if id_.site != site:
        raise _repeated("a message with this id requested a crawl of another site", id_.crawl)
    token = _hash(f"{message.source}#{message.token}")
    begun = repeats.begin(
        id_.tenant, f"{token}\0start", fingerprint=token, now=now, seconds=_STARTING, kept=MESSAGES_KEPT
    )
    if isinstance(begun, Seen):
        if begun.answer is not None:
            return _started_before(replace(id_, crawl=begun.answer.body), ports.crawls)
        raise _repeated("another delivery of this message is starting a crawl", id_.crawl)
    try:
        row = request_crawl(id_, requested, ports, operator)
    except Exception:
        repeats.forget(begun)
        raise
    repeats.keep(begun, KeptAnswer(status=202, body=row.id.crawl), now=ports.clock.now())
    return StartedCrawl(crawl=row.id, status=row.status.value)


def crawl_of_message(repeats: Repeats, name: str, *, tenant: str, site: str, now: float) -> CrawlId:
    """Return the crawl of the message with a name: a new ID for the site, or what an earlier delivery stored.

    A message with the same name may have requested another site: the site is that of the first one.
    """
    candidate = CrawlId(tenant=tenant, site=site, crawl=crawl_id_at(now, name))
    begun = repeats.begin(
        tenant,
        f"{name}\0crawl",
        fingerprint=f"{site}/{candidate.crawl}",  # a site's ID has no slash
        now=now,
        seconds=MESSAGES_KEPT,
        kept=MESSAGES_KEPT,
    )
    if not isinstance(begun, Seen):
        return candidate
    decided, _, crawl = begun.fingerprint.partition("/")
    return CrawlId(tenant=tenant, site=decided, crawl=crawl)


def _started_before(crawl: CrawlId, crawls: Crawls) -> StartedCrawl:
    """Return the crawl that an earlier delivery of a message started."""
    row = crawls.read(crawl)
    return StartedCrawl(crawl=crawl, status=row.status.value if row else DELETED, repeated=True)


def _repeated(why: str, crawl: str) -> RepeatedMessageError:
    """Return the error of a message that starts nothing because of an earlier delivery."""
    return RepeatedMessageError(f"{why}: {crawl}", crawl=crawl)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
