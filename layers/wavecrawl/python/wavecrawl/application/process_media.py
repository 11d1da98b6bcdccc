"""Process one batch of media: download each asset, find out what it is, store it once, make its record."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart
from wavecrawl.application.outside_requests import Chain, OutsideRequests, with_response
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.run_batch import run_batch
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, CrawlId, JobItem, Validators
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers
from wavecrawl.domain.fetching.exchange import Cut, Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
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
class _Processing(PageWork):
    """The download and storage of an asset."""

    ports: WorkerPorts
    fetcher: "MediaFetcher"
    kind = BatchKind.MEDIA

    @property
    def seconds(self) -> float:
        return self.ports.settings.media.longest

    def do(
        self,
        item: JobItem,
        share: PageShare | None,  # noqa: ARG002 - see above
        next_start: NextStart,
        ending: Ending,  # noqa: ARG002 - its time is limited
    ) -> FetchedPage:
        return FetchedPage(record=self.fetcher.fetch(item, next_start))

    def watch(self, record: PageRecord) -> None:
        self.ports.watch_media(record)


class MediaFetcher:
    """Downloads and stores the assets of one crawl. Safe to share between threads."""

    def __init__(
        self,
        *,
        crawl: CrawlId,
        client: PageClient,
        requests: OutsideRequests,
        record_at: Callable[[str], PageRecord | None],
        assets: MediaAssets,
        processor: AssetProcessor,
        clock: Clock,
        settings: CrawlSettings,
    ) -> None:
        """`record_at` returns the record at a place of the archive."""
        self._crawl = crawl
        self._client = client
        self._requests = requests
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
        known, stored_from = self._known(item.validators)
        with TemporaryDirectory(prefix="media-") as folder:
            path = Path(folder, "asset")
            if item.media is MediaKind.VIDEO and known is None:
                head = self._head(item)
                size = _size_of(head) if head else 0
                if head and size > self._settings.media.most_bytes(MediaKind.VIDEO):
                    return self._too_large(with_response(self._requests.unrequested(item), head), size)
                if head and not next_start():
                    return self._requests.postponed(with_response(self._requests.unrequested(item), head))
            download = self._download(item, stored_from, path, next_start)
            return self._record(item, download, known, path, is_conditional=download.url == stored_from)

    def _known(self, validators: Validators | None) -> tuple[Asset | None, str]:
        """Return the asset that an earlier crawl stored for the URL, if it is still stored, and where it is from."""
        before = None if validators is None else self._record_at(validators.record)
        if before is None or before.asset is None or not self._assets.read(self._crawl.tenant, before.asset.hash):
            return None, ""
        return before.asset, before.final_url or before.url

    def _head(self, item: JobItem) -> Exchange | None:
        """Request the size of a video, unless robots.txt denies the URL."""
        if self._requests.robots.reason_against(item.url):
            return None
        return self._client.fetch(FetchRequest(url=item.url, method="HEAD", limits=self._limits(item)))

    def _limits(self, item: JobItem) -> FetchLimits:
        media = self._settings.media
        most = media.most_bytes(item.media or MediaKind.IMAGE)
        return FetchLimits(timeout=media.timeout, max_bytes=most, max_decoded_bytes=most)

    def _download(self, item: JobItem, stored_from: str, path: Path, next_start: NextStart) -> Chain:
        """Request the URL and follow redirects; the body of the last response is written to `path`.

        `stored_from`: URL of the known asset. Another URL's 304 would say nothing about it, so only this one is
        requested with conditions.
        """
        conditions = _conditions(item.validators) if item.validators else ()
        limits = self._limits(item)

        def request(url: str, cookies: Cookies) -> Exchange:
            sent = (*(conditions if url == stored_from else ()), *cookie_headers(cookies, url))
            return self._client.download(FetchRequest(url=url, headers=sent, limits=limits), path)

        return self._requests.follow(item.url, request, next_start)

    def _record(
        self, item: JobItem, chain: Chain, known: Asset | None, path: Path, *, is_conditional: bool
    ) -> PageRecord:
        """Return the record of a try."""
        record, outcome = self._requests.ended(item, chain)
        if outcome is None:
            return record
        if outcome.state is UrlState.UNCHANGED:
            return (
                _unchanged(record, known)
                if known and is_conditional
                else structs.replace(record, state=UrlState.HTTP_ERROR)
            )
        return self._stored(item, record, known, path) if outcome.state is UrlState.FETCHED else record

    def _stored(self, item: JobItem, record: PageRecord, known: Asset | None, path: Path) -> PageRecord:
        """Return the record of a downloaded asset, after it is processed and stored."""
        if record.truncated_reason is Cut.LENGTH:
            return self._too_large(record, 0)
        if record.truncated:
            again = record.tries == 1 and record.truncated_reason is Cut.DISCONNECT
            state = UrlState.DEFERRED if again else UrlState.SKIPPED
            return structs.replace(record, state=state, reason=Reason.INCOMPLETE)
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
        detail = f"it has {counted(size, 'byte')}" if size else ""
        return structs.replace(record, state=UrlState.SKIPPED, reason=Reason.TOO_LARGE, detail=detail)


def media_fetcher(
    crawl: CrawlRow, ports: Ports, client: PageClient, *, assets: MediaAssets, processor: AssetProcessor
) -> MediaFetcher:
    """Return the fetcher of a crawl whose root URL is known."""
    rules = site_rules(crawl, client=client, cache=ports.robots, clock=ports.clock)
    return MediaFetcher(
        crawl=crawl.id,
        client=client,
        requests=OutsideRequests(robots=rules.robots, clock=ports.clock, settings=crawl.settings),
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


def _conditions(validators: Validators) -> tuple[tuple[str, str], ...]:
    fields = (("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified))
    return tuple((name, value) for name, value in fields if value)


def _unchanged(record: PageRecord, known: Asset) -> PageRecord:
    """Return the record of a 304 response, with the asset and the status of the response that had the content."""
    content = {"status": _OK, "revalidated": True, "asset": known, "body_hash": known.hash[:_HASH]}
    return structs.replace(record, reason=Reason.NONE, detail="", **content)
