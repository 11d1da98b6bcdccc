"""The browser of a process: built with the first page that is rendered."""

from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock

from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.rendering.settings import RenderMode
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.errors import BrowserMissingError, TransientError
from wavecrawl.ports.browser import Browser, RenderedPage, RenderRequest

_FAILURES = 2  # of a browser to start, one after the other, after which it is started no more

_HOW = "install it: pip install '.[browser]' in wavecrawl's checkout, apt-get install chromium"


def missing_browser() -> str:
    """Return why there is no browser and how to get one, in one line; "" if there is one. Starts nothing."""
    if find_spec("playwright") is None:
        return f"Playwright is not installed; {_HOW}"
    from wavecrawl.adapters.browser.executable import find_chromium  # noqa: PLC0415 - few crawls need a browser

    try:
        find_chromium()
    except BrowserMissingError as error:
        return str(error)
    return ""


def renders(settings: CrawlSettings) -> bool:
    """Return whether the workers of a crawl can render pages; raise BrowserMissingError if it needs that and cannot."""
    if settings.render.mode is RenderMode.NEVER:
        return False
    problem = missing_browser()
    if problem and settings.render.needs_browser:
        raise BrowserMissingError(f"rendering all pages, or screenshots, need a browser: {problem}")
    return not problem


def chromium(
    settings: CrawlSettings,
    authentication: Authentication | None = None,
    denies: Callable[[str], bool] = lambda _: False,
) -> Browser:
    """Return a browser for crawls with these settings; raise BrowserMissingError if there is none.

    `authentication`: what requests to the site carry. `denies`: whether the operator forbids requests to a host.
    """
    from wavecrawl.adapters.browser.chromium import ChromiumBrowser  # noqa: PLC0415 - as above; loads Playwright
    from wavecrawl.adapters.http.outbound_proxies import outbound_proxies  # noqa: PLC0415 - as above
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - loads ssl

    return ChromiumBrowser(
        settings=settings.render,
        user_agent=user_agent(settings.contact, settings.user_agent_suffix),
        allowed=settings.allowed_addresses,
        accept_language=settings.accept_language,
        ca_file=own_authorities(),
        authentication=authentication,
        denies=denies,
        proxies=outbound_proxies(),
    )


class LazyBrowser:
    """`ports.browser.Browser` that is built when it renders its first page, and then shared.

    If it does not start, it is not started for each further page: that can take a minute.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        authentication: Authentication | None = None,
        denies: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._settings = settings
        self._denies = denies
        self._authentication = authentication
        self._lock = Lock()
        self._browser: Browser | None = None
        self._failures = 0  # to start, in a row
        self._missing = ""  # why it is started no more

    def render(self, request: RenderRequest) -> RenderedPage:
        """Render a page."""
        with self._lock:
            if self._missing:
                raise BrowserMissingError(self._missing)
            if self._browser is None:
                self._browser = chromium(self._settings, self._authentication, self._denies)
        try:
            page = self._browser.render(request)
        except BrowserMissingError as error:
            self._missing = str(error)
            raise
        except TransientError as error:
            self._failures += 1
            if self._failures < _FAILURES:
                raise
            self._missing = str(error)
            raise BrowserMissingError(self._missing) from error
        self._failures = 0
        return page

    def close(self) -> None:
        """End the browser if there is one."""
        with self._lock:
            browser, self._browser = self._browser, None
        if browser is not None:
            browser.close()
