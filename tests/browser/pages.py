"""Pages for the browser, and settings for slow machines.

A page is complete once it has a link. A page of a test gets its link when everything has happened that the test is
about, so that no time-out decides.
"""

from msgspec.structs import replace

from wavecrawl.domain.rendering.settings import BlockSettings, RenderSettings
from wavecrawl.ports.browser import RenderRequest

URL = "http://site.example/page"
HTML = ("Content-Type", "text/html; charset=utf-8")
SETTINGS = replace(RenderSettings(), timeout=200.0, settle=100.0, block=BlockSettings(types=(), hosts=()))


def request(html: str, *headers: tuple[str, str], url: str = URL, screenshot: bool = False) -> RenderRequest:
    return RenderRequest(url=url, status=200, headers=(HTML, *headers), body=html.encode(), screenshot=screenshot)
