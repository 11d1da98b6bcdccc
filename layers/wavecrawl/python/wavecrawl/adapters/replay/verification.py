"""The comparison of the replay of an archive with the crawl, page by page."""

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops

from wavecrawl.adapters.replay.browser import ReplayBrowser, Seen
from wavecrawl.adapters.replay.engine import ReplayEngine
from wavecrawl.adapters.replay.page_text import page_text
from wavecrawl.adapters.replay.server import ReplayServer
from wavecrawl.adapters.wacz.reader import ArchivedPage, WaczReader
from wavecrawl.domain.replay.likeness import Picture, equal_pixels, equal_text
from wavecrawl.domain.replay.page_match import PageMatch

_WINDOW: Final = (1_280, 800)  # pixels, for pages without a screenshot
_MOST_MISSING: Final = 20  # URLs per page


class Verified(Struct, frozen=True, kw_only=True):
    """The compared pages, and the browser that showed them."""

    pages: tuple[PageMatch, ...]
    browser: str  # version


def verify(
    reader: WaczReader,
    pages: Sequence[ArchivedPage],
    engine: ReplayEngine,
    *,
    user_agent: str,
    images: Path | None = None,
    on_page: Callable[[PageMatch], None] = lambda _: None,
) -> Verified:
    """Replay pages of an archive one after the other, and compare each with the crawl.

    Raise BrowserMissingError if Chromium is not installed or does not start.

    Args:
        reader: the archive.
        pages: of the archive.
        engine: that replays them.
        user_agent: of the requests, which only the engine sees.
        images: folder for the screenshots of the crawl and of the replay, and where they differ, as PNG.
        on_page: called after each page.
    """

    async def verified() -> Verified:
        found = []
        with ReplayServer(engine, reader.path) as server:
            async with ReplayBrowser(server, user_agent=user_agent) as browser:
                for page in pages:
                    found.append(await _compared(reader, page, browser, images))
                    on_page(found[-1])
                return Verified(pages=tuple(found), browser=browser.version)

    return asyncio.run(verified())


async def _compared(reader: WaczReader, page: ArchivedPage, browser: ReplayBrowser, images: Path | None) -> PageMatch:
    if not reader.has(page):
        return PageMatch(url=page.url, time=page.time, problem="the archive has no response of it")
    shot, html = reader.screenshot(page), reader.html(page)
    before = picture_of(shot.image) if shot else None
    text = page_text(html) if html is not None else None
    size = (before.width, before.height) if before else _WINDOW
    window = (size[0], _WINDOW[1]) if shot and shot.is_whole else size
    seen = await browser.show(
        page.url,
        page.time,
        size=window,
        height=size[1],
        is_like=lambda seen: _match(page, seen, before, text).is_good(1.0),
    )
    if images is not None and before is not None and seen.screenshot:
        _write_images(images / sha256(page.url.encode()).hexdigest()[:12], before, picture_of(seen.screenshot))
    return _match(page, seen, before, text)


def _match(page: ArchivedPage, seen: Seen, before: Picture | None, text: str | None) -> PageMatch:
    if seen.problem:
        return PageMatch(url=page.url, time=page.time, problem=seen.problem)
    return PageMatch(
        url=page.url,
        time=page.time,
        pixels=None if before is None else equal_pixels(before, picture_of(seen.screenshot)),
        text=None if text is None else equal_text(text, page_text(seen.html)),
        missing=seen.missing[:_MOST_MISSING],
    )


def picture_of(data: bytes) -> Picture:
    """Return the pixels of an image."""
    with Image.open(BytesIO(data)) as image:
        return Picture(width=image.width, height=image.height, rgb=image.convert("RGB").tobytes())


def _write_images(start: Path, before: Picture, now: Picture) -> None:
    start.parent.mkdir(parents=True, exist_ok=True)
    pictures = [Image.frombytes("RGB", (one.width, one.height), one.rgb) for one in (before, now)]
    pictures[0].save(f"{start}-crawl.png")
    pictures[1].save(f"{start}-replay.png")
    if before.width == now.width and before.height == now.height:
        ImageChops.difference(*pictures).save(f"{start}-difference.png")
