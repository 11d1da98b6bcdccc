"""Bytes that pages received in browsers that were lost."""

import asyncio
from collections.abc import Sequence

import pytest

from wavecrawl.adapters.browser.instance import BrowserInstance, BrowserLostError
from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.pool import BrowserPool
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.ports.browser import RenderedPage, RenderRequest

REQUEST = RenderRequest(url="http://site.example/", status=200, headers=(), body=b"")

INSTANCE = object.__new__(BrowserInstance)
"""Stands for any browser: none is started."""


class Losing(BrowserPool):
    """A pool of browsers, each of which receives bytes of a page; all but the last are lost."""

    def __init__(self, received: Sequence[int], *, is_last_lost: bool) -> None:
        dialer = Dialer(resolver=Resolver(), policy=AddressPolicy())
        super().__init__(settings=RenderSettings(), user_agent="", executable="", dialer=dialer)
        self._received = list(received)
        self._is_last_lost = is_last_lost

    async def _borrow(self) -> BrowserInstance:
        return INSTANCE

    async def _own(self) -> BrowserInstance:
        return INSTANCE

    async def _give_back(self, instance: BrowserInstance) -> None:
        assert instance is INSTANCE

    async def _visit(self, instance: BrowserInstance, request: RenderRequest, gate: PageGate) -> RenderedPage:
        assert instance is INSTANCE
        gate.count_received(self._received.pop(0))
        if self._received or self._is_last_lost:
            raise BrowserLostError("it crashed")
        return RenderedPage(url=request.url, bytes=gate.received)


@pytest.mark.parametrize("is_last_lost", [False, True])
def test_the_bytes_of_lost_browsers_count(*, is_last_lost: bool) -> None:
    page = asyncio.run(Losing([100, 20, 3], is_last_lost=is_last_lost).render(REQUEST))
    assert (page.bytes, page.problem) == (123, "it crashed" if is_last_lost else "")
