"""The browser: loads a stored response as a page, runs its scripts, and returns the resulting DOM."""

from typing import Protocol

from msgspec import Struct

from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.fetching.cookies import Cookies


class RenderRequest(Struct, frozen=True, kw_only=True, gc=False):
    """A page to render, with the response that its own request gets: the page is not requested again."""

    url: str  # of the response, absolute, http or https
    status: int
    headers: tuple[tuple[str, str], ...]  # of the response, in order, without content and transfer coding
    body: bytes  # without content coding
    cookies: Cookies = ()  # that redirects to the page have set
    screenshot: bool = False
    styles: bool = False  # whether to read the computed styles of the elements that show the brand


class RenderedPage(Struct, frozen=True, kw_only=True, gc=False):
    """The result of rendering a page."""

    html: str = ""  # the DOM, serialised, with the content of open shadow roots and of frames of the same origin
    opened: str = (
        ""  # the links that showed only after menus and the like were opened, as HTML; their URLs are absolute
    )
    url: str = ""  # of the document at the end, absolute
    away: str = ""  # the URL that the page navigates to by itself, absolute; it stays the page that it is
    problem: str = ""  # one line if the page was not rendered to the end; `html` may have what there was
    is_late: bool = False  # whether the problem is that the time was over
    failure: str = ""  # one line: the first request of the page to its own site that failed and was not repeated
    is_passing: bool = False  # whether that may succeed at another time
    retry_after: float = 0.0  # seconds that the responses asked to wait
    error: str = ""  # one line: the first error that a script of the page's own site did not catch
    loading: str = ""  # one line: how the page says at its end that it is still loading
    scrolls: bool = False  # whether it showed more links when it was scrolled to its end
    screenshot: bytes = b""  # JPEG; b"" if none was requested or there is a problem
    styles: ComputedStyles | None = None  # None if none were requested, or they could not be read
    requests: int = 0  # sent by the page, without its own
    requested: tuple[str, ...] = ()  # URLs of its GET requests, sorted, also of files that rendering does not need
    bytes: int = 0  # received by the page, without its own response
    seconds: float = 0.0


class Browser(Protocol):
    """Renders pages. Safe to share between the threads of one process. Contract: tests/contract/test_browser.py.

    - The page's own request is answered with the response of the `RenderRequest` and does not reach the network.
    - All other requests are subject to the same rules as those of `ports.page_client.PageClient`: they reach only
      addresses that it reaches.
    - When the page was read, the browser opens menus, disclosures and tabs that are marked as such, up to
      `render.open_controls`. Meanwhile the page sends only GET and HEAD requests, and nothing that happens is a problem
      of it. No other control is used.
    - `render` never raises for the page. A page that takes too long, is too large, or leaves by a form or for a
      document without a URL has a `problem`. A page that navigates to another URL stays, and has that URL as `away`.
    - A page without scripts and frames is complete when it is loaded. Another page is complete if it shows something
      and has no empty root, its network is idle, it does not say that it is loading, its content does not change, and
      its scripts wait for no result, frame or timer that is due soon. What does not come within `render.settle` is not
      awaited: the result then says what failed or still loads.
    - A browser that crashes, hangs or takes too much memory is replaced, and its pages are rendered again. Only a page
      that makes several browsers fail has a `problem`. So the result does not depend on the browser's failures.
    """

    def render(self, request: RenderRequest) -> RenderedPage:
        """Render a page.

        Raise BrowserMissingError if there is no browser that starts, and TransientError if it may start at another
        time.
        """
        ...

    def close(self) -> None:
        """End the browser. Do not call `render` afterwards."""
        ...
