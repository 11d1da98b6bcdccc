"""The function render_batch: each message of the render queue is a batch of fetched pages."""

from pathlib import Path
from tempfile import gettempdir
from typing import Final

import msgspec

from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.adapters.browser.unpacking import unpack_browser
from wavecrawl.application.render_batch import render_batch
from wavecrawl.application.render_page import PageRenderer, page_renderer
from wavecrawl.application.site_authentication import authentication_of
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.browsers import LazyBrowser
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.fetch_batch import BatchMessages
from wavecrawl.cloud.recent import Recent
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.ports.browser import Browser

UNPACKED: Final = Path(gettempdir()) / "wavecrawl-browser-files"
"""Where Chromium and Playwright's Node.js are unpacked to, once in each environment of the function."""

_BROWSERS_KEPT = 1
"""Crawls whose browser a warm process keeps: each needs most of the function's memory."""


class RenderMessages(BatchMessages):
    """Runs the batches of messages, one at a time: renders their pages."""

    def __init__(self, cloud: Cloud) -> None:
        super().__init__(cloud)
        self._renderers: Recent[CrawlId, _Rendering] = Recent(
            _BROWSERS_KEPT, on_end=lambda rendering: rendering.browser.close()
        )

    @property
    def queue(self) -> SqsJobQueue:
        """The queue of the messages."""
        return self._cloud.render_queue

    def run(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        """Render a batch until a deadline in Unix seconds. Return False if another worker has or had it."""
        renderer = self._renderers.get(job.id.crawl, self._rendering).renderer
        return render_batch(job, ports, renderer, deadline=deadline)

    def _rendering(self, crawl: CrawlId) -> "_Rendering":
        unpack_browser(UNPACKED)
        row = self._cloud.crawl(crawl)
        browser = LazyBrowser(
            row.settings, authentication_of(row, self._cloud.credentials), self._cloud.current_controls.denies
        )
        return _Rendering(renderer=page_renderer(row, self._cloud, browser, self._parser), browser=browser)


class _Rendering(msgspec.Struct, frozen=True, kw_only=True):
    """What renders the pages of a crawl."""

    renderer: PageRenderer
    browser: Browser
