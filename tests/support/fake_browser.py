"""A browser without Chromium: it renders by a given function."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from wavecrawl.ports.browser import RenderedPage, RenderRequest

JPEG = b"\xff\xd8\xff\xe0 a screenshot \xff\xd9"
"""What a screenshot of the fake browser begins and ends like."""

Scripts = Callable[[RenderRequest], str | RenderedPage]
"""What the scripts of a page make of it: its DOM, or the whole result. Errors that it raises are raised by `render`."""


def as_sent(request: RenderRequest) -> str:
    """Return the HTML of the response: a page without scripts."""
    return request.body.decode("utf-8", "replace")


@dataclass(slots=True)
class FakeBrowser:
    """A `ports.browser.Browser` whose pages have the DOM that `scripts` returns."""

    scripts: Scripts = as_sent
    requests: list[RenderRequest] = field(default_factory=list)
    closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def render(self, request: RenderRequest) -> RenderedPage:
        """Return the page that `scripts` makes of the response."""
        with self._lock:
            self.requests.append(request)
        made = self.scripts(request)
        if isinstance(made, RenderedPage):
            return made
        return RenderedPage(html=made, url=request.url, screenshot=JPEG if request.screenshot else b"", seconds=0.01)

    def close(self) -> None:
        """Note that the browser was closed."""
        self.closed = True
