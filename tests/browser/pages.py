"""Pages for the browser, and quick settings."""

from dataclasses import replace

from wavecrawl.domain.rendering.settings import BlockSettings, RenderSettings
from wavecrawl.ports.browser import RenderRequest

URL = "http://site.example/page"
HTML = ("Content-Type", "text/html; charset=utf-8")
SETTINGS = replace(RenderSettings(), timeout=20.0, settle=0.5, block=BlockSettings(types=(), hosts=()))


def request(html: str, *headers: tuple[str, str], url: str = URL, screenshot: bool = False) -> RenderRequest:
    return RenderRequest(url=url, status=200, headers=(HTML, *headers), body=html.encode(), screenshot=screenshot)
