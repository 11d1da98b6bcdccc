"""Crawls as models of the API."""

from collections.abc import Mapping, Sequence

from wavecrawl.api.serializers import same_fields
from wavecrawl.api.serializers.settings import settings_model
from wavecrawl.api_models.crawls import (
    Crawl,
    CrawlBill,
    CrawlCounters,
    CrawlDetail,
    CrawlOutcome,
    CrawlProgress,
    CrawlReference,
    CrawlWait,
    SiteCrawl,
)
from wavecrawl.api_models.types import timestamp, timestamp_or_none
from wavecrawl.application.admission import queue_places
from wavecrawl.domain.crawl.bill import priced
from wavecrawl.domain.politeness.waits import Wait, WaitReason
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import Progress, Waves
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent
from wavecrawl.ports.sites import SiteRow

_DIGITS = 6  # of US dollars, after the point


def crawl_reference(row: CrawlRow) -> CrawlReference:
    """Return the IDs and the status of a crawl."""
    fields = same_fields(CrawlReference, row)
    return CrawlReference(**fields, crawl=row.id.crawl, site=row.id.site)


def crawl_models(rows: Sequence[CrawlRow], ports: Ports, *, now: float) -> list[Crawl]:
    """Return crawls of one tenant with their counters."""
    progresses = ports.waves.progress_of_each([row.id for row in rows])
    places = queue_places(rows, ports.crawls)
    return [
        _crawl_model(row, progress, place=places.get(row.id), now=now)
        for row, progress in zip(rows, progresses, strict=True)
    ]


def _crawl_model(row: CrawlRow, progress: Progress, *, place: int | None, now: float) -> Crawl:
    return Crawl(
        **dict(crawl_reference(row)),
        resumes=row.resumes,
        queue_place=place,
        url=row.start_url,
        root_url=row.root_url or None,
        started_at=timestamp(row.started_at),
        finished_at=timestamp_or_none(row.finished_at),
        seconds=round(row.seconds(now), 3),
        error=row.error or None,
        counters=CrawlCounters(**same_fields(CrawlCounters, progress)),
        outcome=_outcome(row),
        bill=_bill(progress),
    )


def _outcome(row: CrawlRow) -> CrawlOutcome | None:
    """Return the figures of a crawl's results. While a crawl that was resumed runs, its earlier ones do not count."""
    if row.outcome is None or not row.has_results:
        return None
    return CrawlOutcome(**{**same_fields(CrawlOutcome, row.outcome), "limits": sorted(row.outcome.limits)})


def site_crawls(of_sites: Sequence[Sequence[CrawlRow]], *, waves: Waves) -> list[list[SiteCrawl]]:
    """Return the crawls of each site. Only crawls without results, such as running ones, need their progress."""
    outcomes = {row.id: _outcome(row) for rows in of_sites for row in rows}
    counted = [id_ for id_, outcome in outcomes.items() if outcome is None]
    pages = {id_: one.fetched for id_, one in zip(counted, waves.progress_of_each(counted), strict=True)}
    return [[_site_crawl(row, outcomes[row.id], pages.get(row.id, 0)) for row in rows] for rows in of_sites]


def _site_crawl(row: CrawlRow, outcome: CrawlOutcome | None, pages: int) -> SiteCrawl:
    return SiteCrawl(
        **dict(crawl_reference(row)),
        started_at=timestamp(row.started_at),
        finished_at=timestamp_or_none(row.finished_at),
        pages=outcome.pages if outcome else pages,
        outcome=outcome,
    )


def crawl_detail(row: CrawlRow, ports: Ports, *, site: SiteRow | None, now: float) -> CrawlDetail:
    """Return a crawl with its counters, its settings and its cost so far. `site`: None if it is not saved."""
    progress, place = ports.waves.progress(row.id), queue_places([row], ports.crawls).get(row.id)
    return CrawlDetail(
        **dict(_crawl_model(row, progress, place=place, now=now)),
        site_name=None if site is None else site.name,
        settings=settings_model(row.settings),
    )


def crawl_progress(
    row: CrawlRow, progress: Progress, plans: Sequence[LoggedEvent], *, place: int | None, now: float
) -> CrawlProgress:
    """Return the progress of a crawl; the last of `plans` is the log entry of its last planned wave.

    `place`: of a queued crawl in the queue.
    """
    plan = plans[-1].data if plans else {}
    return CrawlProgress(
        **dict(crawl_reference(row)),
        started_at=timestamp(row.started_at),
        finished_at=timestamp_or_none(row.finished_at),
        **same_fields(CrawlProgress, progress) | {"wait": crawl_wait(row, progress, place=place, now=now)},
        queue_place=place,
        pages=progress.fetched,
        tries=progress.records,
        wave=_number(plan, "wave") or 0,
        phase=str(plan["phase"]) if "phase" in plan else None,
        known=_number(plan, "known"),
        pending=_number(plan, "pending"),
    )


def crawl_wait(row: CrawlRow, progress: Progress, *, place: int | None, now: float) -> CrawlWait | None:
    """Return for what a crawl waits; None if it does not wait."""
    wait = Wait(reason=WaitReason.QUEUED, count=place) if place else progress.wait
    if wait is None or wait.is_over(now) or row.status.has_ended:
        return None
    return CrawlWait(
        reason=wait.reason.value, host=wait.host or None, until=timestamp_or_none(wait.until), text=wait.text
    )


def _number(plan: Mapping[str, object], name: str) -> int | None:
    value = plan.get(name)
    return value if isinstance(value, int) else None


def _bill(progress: Progress) -> CrawlBill | None:
    if not progress.usage:
        return None
    bill = priced(progress.usage, pages=progress.fetched)
    return CrawlBill(
        usd=round(bill.total, _DIGITS),
        usd_per_million_pages=round(bill.per_million_pages, 2),
        services={backend: round(dollars, _DIGITS) for backend, dollars in bill.services.items()},
    )
