"""Process one batch of media: download each asset, find out what it is, store it once, make its record."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct, structs

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import FetchedPage, NextStart
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.application.run_batch import run_batch, unfetched_record
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, CrawlId, JobItem, Validators
from wavecrawl.domain.crawl.record import Hop, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import classify, media_type
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.politeness.robots_wait import seconds_of
from wavecrawl.domain.urls.url import resolve
from wavecrawl.errors import UnusableAssetError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.asset_processor import AssetProcessor
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.media_assets import MediaAssets
from wavecrawl.ports.page_client import PageClient

_OK = 200
_HASH = 32  # hex digits of an asset's hash in a record's `body_hash`


def process_media(job: BatchJob, ports: WorkerPorts, fetcher: "MediaFetcher", *, deadline: float = inf) -> bool:
    """Process a batch. Return False if another worker has or had it, as `fetch_batch` does."""
    return run_batch(job, ports, _Processing(ports, fetcher), deadline=deadline)


@dataclass(frozen=True, slots=True)
class _Processing:
    """`run_batch.PageWork`: download and store an asset."""

    ports: WorkerPorts
    fetcher: "MediaFetcher"
    kind = BatchKind.MEDIA

    @property
    def seconds(self) -> float:
        return self.ports.settings.media.longest

    @contextmanager
    def room(self) -> Iterator[PageShare | None]:
        yield None

    def do(self, item: JobItem, share: PageShare | None, next_start: NextStart) -> FetchedPage:  # noqa: ARG002
        return FetchedPage(record=self.fetcher.fetch(item, next_start))

    def give_up(self, item: JobItem, now: float) -> FetchedPage:
        return FetchedPage(record=unfetched_record(item, UrlState.FAILED, Reason.POISON, now))

    def watch(self, record: PageRecord) -> None:
        self.ports.watch_media(record)


class _Download(Struct, frozen=True, kw_only=True, gc=False):
    """The last exchange of a try, and why it ended before a response other than a redirect."""

    exchange: Exchange | None  # None: no request was made
    url: str  # of the last request
    hops: tuple[Hop, ...] = ()
    received: int = 0  # bytes of all bodies as transferred
    reason: Reason = Reason.NONE


class MediaFetcher:
    """Downloads and stores the assets of one crawl. Safe to share between threads."""

    def __init__(
        self,
        *,
        crawl: CrawlId,
        client: PageClient,
        robots: RobotsGate,
        record_at: Callable[[str], PageRecord | None],
        assets: MediaAssets,
        processor: AssetProcessor,
        clock: Clock,
        settings: CrawlSettings,
    ) -> None:
        """`record_at` returns the record at a place of the archive."""
        self._crawl = crawl
        self._client = client
        self._robots = robots
        self._record_at = record_at
        self._assets = assets
        self._processor = processor
        self._clock = clock
        self._settings = settings

    def fetch(self, item: JobItem, next_start: NextStart) -> PageRecord:
        """Return the record of a media URL, whose asset is then stored.

        If the asset is known from an earlier crawl and still stored, the request is conditional. `next_start` is called
        before every request but the first.
        """
        known = self._known(item.validators)
        with TemporaryDirectory(prefix="media-") as folder:
            path = Path(folder, "asset")
            if item.media is MediaKind.VIDEO and known is None:
                head = self._head(item)
                size = _size_of(head) if head else 0
                if head and size > self._settings.media.most_bytes(MediaKind.VIDEO):
                    return self._too_large(_with_response(self._unrequested(item), head), size)
                if head and not next_start():
                    return self._postponed(_with_response(self._unrequested(item), head))
            download = self._download(item, item.validators if known else None, path, next_start)
            return self._record(item, download, known, path)

    def _known(self, validators: Validators | None) -> Asset | None:
        """Return the asset that an earlier crawl stored for the URL, if it is still stored."""
        if validators is None:
            return None
        before = self._record_at(validators.record)
        asset = before.asset if before is not None else None
        return asset if asset and self._assets.read(self._crawl.tenant, asset.hash) else None

    def _head(self, item: JobItem) -> Exchange | None:
        """Request the size of a video, unless robots.txt denies the URL."""
        if self._robots.reason_against(item.url):
            return None
        return self._client.fetch(FetchRequest(url=item.url, method="HEAD", limits=self._limits(item)))

    def _limits(self, item: JobItem) -> FetchLimits:
        media = self._settings.media
        most = media.most_bytes(item.media or MediaKind.IMAGE)
        return FetchLimits(timeout=media.timeout, max_bytes=most, max_decoded_bytes=most)

    def _download(self, item: JobItem, validators: Validators | None, path: Path, next_start: NextStart) -> _Download:
        """Request the URL and follow redirects, to any host. robots.txt of each host is obeyed."""
        url, hops, received = item.url, tuple[Hop, ...](), 0
        exchange: Exchange | None = None
        while True:
            reason = self._robots.reason_against(url)
            if not reason and exchange is not None and not next_start():
                reason = Reason.WORKER_OUT_OF_TIME
            if reason:
                return _Download(exchange=exchange, url=url, hops=hops, received=received, reason=reason)
            headers = _conditions(validators) if validators else ()
            request = FetchRequest(url=url, headers=headers, limits=self._limits(item))
            exchange = self._client.download(request, path)
            received += exchange.received_bytes
            if exchange.fault or classify(exchange).state is not UrlState.REDIRECTED:
                return _Download(exchange=exchange, url=url, hops=hops, received=received)
            location = exchange.header("Location") or ""
            target = resolve(location, url)
            hops = (*hops, Hop(url=url, status=exchange.status or 0, location=target or location))
            reason = self._reason_to_stop(target, hops)
            if target is None or reason:
                return _Download(exchange=exchange, url=url, hops=hops, received=received, reason=reason)
            url = target.partition("#")[0]

    def _reason_to_stop(self, target: str | None, hops: tuple[Hop, ...]) -> Reason:
        """Return why a redirect to `target` is not followed; NONE if it is."""
        if target is None or not target.startswith(("http://", "https://")):
            return Reason.REDIRECT_BAD_TARGET
        if not self._settings.follow_redirects:
            return Reason.REDIRECTS_NOT_FOLLOWED
        if any(hop.url == target.partition("#")[0] for hop in hops):
            return Reason.REDIRECT_LOOP
        return Reason.REDIRECT_LIMIT if len(hops) > self._settings.max_redirects else Reason.NONE

    def _unrequested(self, item: JobItem) -> PageRecord:
        return unfetched_record(item, UrlState.FAILED, Reason.NONE, self._clock.now())

    def _record(self, item: JobItem, download: _Download, known: Asset | None, path: Path) -> PageRecord:
        """Return the record of a try."""
        exchange = download.exchange
        record = structs.replace(self._unrequested(item), hops=download.hops)
        if exchange is not None:
            final_url = download.url if download.url != item.url else ""
            record = structs.replace(_with_response(record, exchange), final_url=final_url, bytes=download.received)
        if download.reason or exchange is None:
            return self._stopped(record, download)
        outcome = classify(exchange)
        record = structs.replace(record, state=outcome.state, reason=outcome.reason, detail=outcome.detail)
        if outcome.retry and item.tries <= self._settings.max_retries:
            return structs.replace(record, state=UrlState.DEFERRED, retry_after=outcome.wait)
        if outcome.state is UrlState.UNCHANGED:
            return _unchanged(record, known) if known else structs.replace(record, state=UrlState.HTTP_ERROR)
        return self._stored(item, record, known, path) if outcome.state is UrlState.FETCHED else record

    def _stopped(self, record: PageRecord, download: _Download) -> PageRecord:
        """Return the record of a try that ended at a redirect, or before its first request."""
        reason = download.reason
        if reason is Reason.WORKER_OUT_OF_TIME:
            return self._postponed(record)
        if reason is Reason.ROBOTS_UNREACHABLE:
            return self._waiting(record, download.url)
        if reason is Reason.ROBOTS_RULE:
            return structs.replace(record, state=UrlState.ROBOTS_DENIED, reason=reason)
        if reason is Reason.DELAY_TOO_LONG:
            return structs.replace(record, state=UrlState.SKIPPED, reason=reason)
        detail = f"to {download.hops[-1].location[:200]}"
        return structs.replace(record, state=UrlState.REDIRECTED, reason=reason, detail=detail)

    def _postponed(self, record: PageRecord) -> PageRecord:
        """Return the record of a URL whose worker ends between two of its requests. The try counts."""
        state = UrlState.DEFERRED if record.tries <= self._settings.max_retries else UrlState.FAILED
        return structs.replace(record, state=state, reason=Reason.WORKER_OUT_OF_TIME)

    def _waiting(self, record: PageRecord, url: str) -> PageRecord:
        """Return the record of a URL that waits for a robots.txt that cannot be fetched, or is given up."""
        trouble, polite = self._robots.trouble(url), self._settings.polite
        detail = trouble.problem if trouble else ""
        record = structs.replace(record, reason=Reason.ROBOTS_UNREACHABLE, detail=detail)
        if record.tries > polite.max_robots_waits or (trouble and trouble.lasting):
            return structs.replace(record, state=UrlState.ROBOTS_DENIED)
        return structs.replace(record, state=UrlState.DEFERRED, retry_after=seconds_of(record.tries, polite))

    def _stored(self, item: JobItem, record: PageRecord, known: Asset | None, path: Path) -> PageRecord:
        """Return the record of a downloaded asset, after it is processed and stored."""
        if record.truncated:
            return self._too_large(record, 0)
        try:
            processed = self._processor.process(path, wanted=self._settings.media.kinds)
        except UnusableAssetError as error:
            return structs.replace(record, state=UrlState.SKIPPED, reason=Reason.NOT_MEDIA, detail=str(error))
        asset = processed.asset
        if asset.bytes > self._settings.media.most_bytes(asset.kind):
            return self._too_large(record, asset.bytes)
        self._assets.put(self._crawl.tenant, asset, processed.path, url=item.url, now=self._clock.now())
        state = UrlState.UNCHANGED if known and known.hash == asset.hash else UrlState.FETCHED
        return structs.replace(record, state=state, asset=asset, body_hash=asset.hash[:_HASH])

    def _too_large(self, record: PageRecord, size: int) -> PageRecord:
        detail = f"it has {size:,} bytes" if size else ""
        return structs.replace(record, state=UrlState.SKIPPED, reason=Reason.TOO_LARGE, detail=detail)


def media_fetcher(
    crawl: CrawlRow, ports: Ports, client: PageClient, *, assets: MediaAssets, processor: AssetProcessor
) -> MediaFetcher:
    """Return the fetcher of a crawl whose root URL is known."""
    rules = site_rules(crawl, client=client, cache=ports.robots, clock=ports.clock)
    return MediaFetcher(
        crawl=crawl.id,
        client=client,
        robots=rules.robots,
        record_at=ports.archive.record_at,
        assets=assets,
        processor=processor,
        clock=ports.clock,
        settings=crawl.settings,
    )


def _size_of(head: Exchange) -> int:
    """Return the size that a response reports; 0 if it does not."""
    length = head.header("Content-Length") or ""
    is_size = head.fault is None and head.status == _OK and length.isascii() and length.isdigit()
    return int(length[:18]) if is_size else 0


def _with_response(record: PageRecord, exchange: Exchange) -> PageRecord:
    return structs.replace(
        record,
        status=exchange.status,
        content_type=media_type(exchange.header("Content-Type") or ""),
        etag=exchange.header("ETag") or "",
        last_modified=exchange.header("Last-Modified") or "",
        decoded_bytes=exchange.file_bytes,
        truncated=exchange.truncated,
        response_time=exchange.first_byte_after,
        elapsed=exchange.elapsed,
        fetched_at=exchange.started_at,
    )


def _conditions(validators: Validators) -> tuple[tuple[str, str], ...]:
    fields = (("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified))
    return tuple((name, value) for name, value in fields if value)


def _unchanged(record: PageRecord, known: Asset) -> PageRecord:
    """Return the record of a 304 response, with the asset of the earlier record."""
    return structs.replace(record, reason=Reason.NONE, detail="", asset=known, body_hash=known.hash[:_HASH])
