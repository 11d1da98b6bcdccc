"""The content of one page: what its server answered, from the crawl's WARC (spec [34])."""

from dataclasses import dataclass

from wavecrawl.application.find_record import FindPorts, find_record
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.archive import StoredAnswer
from wavecrawl.ports.crawls import CrawlRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """What a page was. Where it had not changed since an earlier crawl, `answer.crawl` names the one that read it."""

    record: PageRecord
    answer: StoredAnswer


def page_content(crawl: CrawlRow, key: str, ports: FindPorts, *, limit: int) -> PageContent:
    """Return a page's content, at most `limit` bytes of it; raise NotFoundError where there is none, saying why."""
    record, place = find_record(crawl, key, ports)
    answer = ports.archive.answer_at(record.body_at or place, limit=limit)
    if answer is None and record.body_at:
        raise NotFoundError(f"page {key} had not changed, and the crawl that read it last is deleted")
    if answer is None:
        raise NotFoundError(f"nothing was stored of page {key}: {record.detail or record.reason.value}")
    if answer.crawl != crawl.id and key in ports.hidden.of(answer.crawl):
        raise NotFoundError(
            f"page {key} had not changed, and was deleted from crawl {answer.crawl.crawl}, which read it"
        )
    return PageContent(record=record, answer=answer)
