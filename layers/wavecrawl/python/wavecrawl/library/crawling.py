"""`crawl` and `iter_crawl`: a crawl in a process of its own, watched from this one."""

import subprocess
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from wavecrawl.adapters.analytics.setting_notices import WARNED, may_have_notices
from wavecrawl.application.new_pages import NewPages
from wavecrawl.application.page_markdown import MarkdownView
from wavecrawl.application.readable_records import readable_records
from wavecrawl.application.start_address import candidates
from wavecrawl.application.start_settings import start_settings
from wavecrawl.bootstrap.crawl_process import command
from wavecrawl.bootstrap.local import default_workers
from wavecrawl.bootstrap.start_url import reachable_url
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import CrawlFailedError, InvalidInputError, NotFoundError
from wavecrawl.library.credentials import credentials_of, save_given
from wavecrawl.library.page import Page, page_of
from wavecrawl.library.results import Crawl

_POLL = 0.1  # seconds
_GRACE = 20.0  # seconds for a process to stop
_MOST_BODY = 64 * 1024 * 1024  # bytes; more than a crawl stores of a page


def crawl(
    url: str,
    *,
    data: Path | str | None = None,
    on_page: Callable[[Page], object] | None = None,
    workers: int = 0,
    headers: Mapping[str, str] | None = None,
    cookies: Mapping[str, str] | None = None,
    basic_auth: tuple[str, str] | None = None,
    **settings: object,
) -> Crawl:
    """Crawl a site to its end and return the crawl with its results.

    Args:
        url: Start URL, or an address such as `example.com/docs`, which is tried with https, then with http.
        data: Folder for the data and results, which `wavecrawl` commands can read too. A site that was crawled into it
            before is crawled again with conditional requests. None: a temporary folder, deleted when the crawl is
            closed.
        on_page: Called for each page that the crawl has read, in this process. The crawl does not wait for it: pages
            that it has not taken yet are on the disk.
        workers: Number of worker processes. 0 = one per core, at least 2.
        headers: Request headers with credentials, by name. They are sent to the site only, as are the next two.
        cookies: Cookies, by name.
        basic_auth: User and password for HTTP basic authentication. With `data`, `headers`, `cookies` and `basic_auth`
            are saved for the site, in place of earlier ones; later crawls without these arguments send the saved ones.
        settings: Crawl settings, such as `max_pages=100` or `polite={"interval": 0.5}`. `wavecrawl.toml` and the API
            have the same names.

    Raises:
        InvalidInputError: The URL, a setting, a credential or the folder cannot be used; the message says why.
        ConflictError: Another process is crawling the site into this folder.
        RootFailedError: An address without a scheme responds neither with https nor with http.
        CrawlFailedError: The crawl failed, for example because the site did not respond.

    Warns if no page could be read, for example because the start URL responded with 401, and if include patterns,
    the path prefix or extraction rules match nothing, or URLs were not checked because their addresses are not public.

    If `on_page` raises an exception, or on Ctrl-C, the crawl stops without results. With `data`, `wavecrawl resume
    --data FOLDER` continues it.
    """
    credentials = credentials_of(headers, cookies, basic_auth)
    with _Run(url, data, settings, workers=workers, makes_results=True, credentials=credentials) as run:
        for page in run.pages() if on_page else run.wait():
            if on_page:
                on_page(page)
        return run.ended()


def iter_crawl(
    url: str,
    *,
    data: Path | str | None = None,
    workers: int = 0,
    headers: Mapping[str, str] | None = None,
    cookies: Mapping[str, str] | None = None,
    basic_auth: tuple[str, str] | None = None,
    **settings: object,
) -> Generator[Page]:
    """Crawl a site; yield each page that the crawl has read, soon after it was read.

    Arguments and errors are those of `crawl`. The crawl goes on while the caller works on a page. When the caller
    leaves the loop, the crawl stops. With `data`, a crawl that ends has results: `open_crawl(data)` opens them.
    """
    credentials = credentials_of(headers, cookies, basic_auth)
    with _Run(url, data, settings, workers=workers, makes_results=data is not None, credentials=credentials) as run:
        yield from run.pages()
        run.ended().close()


class _Run:
    """A crawl and its process, which ends with this context."""

    def __init__(
        self,
        url: str,
        data: Path | str | None,
        settings: dict[str, object],
        *,
        workers: int,
        makes_results: bool,
        credentials: SiteCredentials | None,
    ) -> None:
        if workers < 0:
            raise InvalidInputError(f"workers must be 0 or more, not {workers}")
        folder = None if data is None else Path(data)
        url = reachable_url(candidates(url), partial(start_settings, given=settings), data=folder)
        checked = start_settings(url, settings)
        self._makes_results = makes_results or may_have_notices(checked)
        self._temporary = None
        if data is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="wavecrawl-", ignore_cleanup_errors=True)
            data = self._temporary.name
        root = Path(data)
        self._store = _opened(root)
        try:
            save_given(credentials, url, checked, self._store)
            self._crawl = self._store.start(url, checked, trigger=Trigger.LIBRARY)
            arguments = command(
                root.resolve(),
                self._crawl.id,
                workers=workers or default_workers(),
                wacz_mb=0,
                makes_results=self._makes_results,
            )
            self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        except BaseException:
            self._close()
            raise
        self._returned = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop the process if it runs. Close the store, unless `ended` has returned it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if not self._returned:
            self._close()

    def pages(self) -> Iterator[Page]:
        """Yield the pages until the process has ended."""
        store, id_ = self._store, self._crawl.id
        found = NewPages(id_, batches=store.batches, waves=store.waves, archive=store.archive)
        is_over = False
        while not is_over:
            is_over = self._has_ended()
            for record, place in found.take():
                has_text = record.facts is not None and bool(record.facts.text)
                yield page_of(
                    record, self._body_at(record.body_at or place), self._markdown_at(place if has_text else "")
                )

    def _body_at(self, place: str) -> Callable[[], bytes | None]:
        def read() -> bytes | None:
            self._require_folder()
            found = self._store.archive.response_at(place, limit=_MOST_BODY)
            return None if found is None else found.body

        return read

    def _markdown_at(self, place: str) -> Callable[[], str]:
        def read() -> str:
            self._require_folder()
            store = self._store
            made = MarkdownView(store.archive, store.parser, self._crawl.settings, hidden=store.hidden).at(place)
            if made.text is None:
                raise NotFoundError(made.problem)
            return made.text

        return read

    def _require_folder(self) -> None:
        if self._temporary is not None and not Path(self._temporary.name).exists():
            raise NotFoundError(
                "the folder of the crawl is deleted, and with it the bodies of its pages. Read them before the "
                "crawl is closed, with iter_crawl inside the loop, or pass data=FOLDER to keep them"
            )

    def wait(self) -> Iterator[Page]:
        """Wait until the process has ended; yield nothing."""
        self._process.wait()
        return iter(())

    def ended(self) -> Crawl:
        """Return the crawl; raise CrawlFailedError if it has not ended as it should; warn as `crawl` says."""
        row = self._store.crawls.read(self._crawl.id)
        if row is None or row.status is CrawlStatus.FAILED:
            raise CrawlFailedError(f"the crawl of {self._crawl.start_url} failed: {row.error if row else 'it is gone'}")
        if not row.status.has_ended:
            code = self._process.returncode
            raise CrawlFailedError(f"the process of crawl {row.id.crawl} ended early, with exit code {code}")
        if not self._store.pages_so_far(row):
            advice = "If the site needs credentials, pass headers, cookies or basic_auth"
            if row.authenticated:
                advice = "Credentials were sent; if it rejects them, pass others"
            warnings.warn(f"no page of {row.start_url} could be read{self._first_problem()}. {advice}", stacklevel=3)
        for message in self._setting_notices():
            warnings.warn(message, stacklevel=3)
        self._returned = True
        return Crawl(self._store, row, self._temporary)

    def _setting_notices(self) -> list[str]:
        """Return the notices on settings that had no effect."""
        if not self._makes_results:
            return []
        found = self._store.results.statistics(self._crawl.id).notices
        return [f"{one.subject}: {one.message}" for one in found if one.subject in WARNED]

    def _first_problem(self) -> str:
        """Return why the first URL was not read, to be appended to a text; "" if none was requested."""
        for batch in self._store.batches.of_wave(self._crawl.id, 1):
            for record in readable_records(self._store.archive, batch, PageRecord):
                return f": {record.detail or record.reason.value}"
        return ""

    def _has_ended(self) -> bool:
        """Wait for a moment; return whether the process has ended."""
        try:
            self._process.wait(_POLL)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _close(self) -> None:
        self._store.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def _opened(root: Path) -> LocalStore:
    if root.exists() and not root.is_dir():
        raise InvalidInputError(f"data {root} is a file; name a folder")
    try:
        return LocalStore(root)
    except OSError as error:
        raise InvalidInputError(f"data {root} cannot be used: {error.strerror or error}") from error
