"""The credentials of a site in the requests of a rendered page."""

import asyncio
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Error

from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.errors import InvalidUrlError


async def authenticate(context: BrowserContext, session: CDPSession, authentication: Authentication) -> None:
    """Let the page's requests to the hosts of its site carry the site's credentials, and no others.

    Headers are set by the protocol of the developer tools, for one request at a time: "the overrides do not extend to
    subsequent redirect hops" (https://chromedevtools.github.io/devtools-protocol/tot/Fetch/#method-continueRequest).
    Playwright's own routes would repeat them after a redirect to another host. Cookies are set as the browser's own,
    hidden from scripts; as all cookies, they do not depend on the port (RFC 6265 section 8.5).
    """
    hosts = authentication.hosts
    cookies: list[Any] = [
        {"name": name, "value": value, "domain": domain, "path": "/", "httpOnly": True, "secure": hosts.is_secure}
        for name, value in authentication.credentials.cookies
        for domain in hosts.cookie_domains
    ]
    if cookies:
        await context.add_cookies(cookies)
    if authentication.credentials.fields:
        added = _Headers(session, authentication)
        session.on("Fetch.requestPaused", added.paused)
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*", "requestStage": "Request"}]})


class _Headers:
    """Continues every request of a page, with the credentials if it is one to the site."""

    def __init__(self, session: CDPSession, authentication: Authentication) -> None:
        self._session = session
        self._hosts = authentication.hosts
        self._fields = authentication.credentials.fields
        self._tasks: set[asyncio.Task[None]] = set()

    def paused(self, event: dict[str, Any]) -> None:
        """Continue a request."""
        task = asyncio.ensure_future(self._continue(event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _continue(self, event: dict[str, Any]) -> None:
        changes: dict[str, Any] = {"requestId": event["requestId"]}
        if self._is_own(event["request"]["url"]):
            replaced = {name.lower() for name, _ in self._fields}
            kept = [one for one in event["request"]["headers"].items() if one[0].lower() not in replaced]
            changes["headers"] = [{"name": name, "value": value} for name, value in (*kept, *self._fields)]
        with suppress(Error):  # the page is being closed
            await self._session.send("Fetch.continueRequest", changes)

    def _is_own(self, url: str) -> bool:
        try:
            return self._hosts.include(origin_of(url))
        except InvalidUrlError:
            return False
