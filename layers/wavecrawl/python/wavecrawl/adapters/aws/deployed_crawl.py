"""A crawl of the check site (`adapters.aws.check_site`), which uses all functions of the deployment but two.

`fold_wave` is for crawls of thousands of pages, `fail_crawl` for failures of the deployment.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import msgspec

from wavecrawl.adapters.aws.check_site import BY_SCRIPT, DENIED, HOOK, IMAGE, LISTED, PAGES, RENDERED, ROOT, WORD
from wavecrawl.adapters.aws.deployed_api import DeployedApi, finding_of
from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.application.finding import Finding
from wavecrawl.domain.counts import counted
from wavecrawl.errors import PermanentError, WavecrawlError

SETTINGS: Final = {
    "polite": {"interval": 0.5},
    "media": {"include": ["images"]},
    "max_pages": 2 * PAGES,
}
"""The API accepts two requests a second without a key (`public_rate`)."""

_LONGEST: Final = 900.0  # seconds that a crawl may take
_PATIENCE: Final = 300.0  # seconds until messages about an ended crawl must have been processed
_POLL: Final = 3.0  # seconds
_ENDED: Final = ("completed", "failed", "cancelled")


class CheckCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """The check of a deployment by crawls. All that they store is deleted again.

    `site` is the URL at which the functions reach the API.
    """

    deployment: Deployment
    api: DeployedApi
    site: str
    sleep: Callable[[float], None] = time.sleep

    def findings(self) -> Iterator[Finding]:
        """Crawl, and yield what was found. Each problem names the functions whose logs say more."""
        try:
            with self._webhook() as webhook:
                yield self._finding("a denied site", self._denied, "webhook open_crawl")
                with self._saved() as saved:
                    yield from self._crawl_findings(saved, webhook)
        except WavecrawlError as error:
            yield Finding(check="crawl", problem=str(error))

    def _crawl_findings(self, site: str, webhook: str) -> Iterator[Finding]:
        crawl = ""

        def completed() -> str:
            nonlocal crawl
            crawl = self._start(site)
            shown = self._ended(crawl)
            if shown["status"] != "completed":
                raise PermanentError(f"crawl {crawl} is {shown['status']}: {shown['error']}")
            return f"completed in {shown['seconds']:.0f} s"

        found = self._finding("crawl", completed, "start_site open_crawl run_wave fetch_batch finish_crawl")
        yield found
        if found.problem:
            return
        yield self._finding("links", lambda: self._pages(crawl), "run_wave fetch_batch results")
        yield self._finding("sitemap", lambda: self._page(crawl, LISTED), "read_sitemaps")
        if "RenderQueueUrl" in self.deployment.outputs:
            yield self._finding("rendering", lambda: self._rendered(crawl), "render_batch")
        if "MediaQueueUrl" in self.deployment.outputs:
            yield self._finding("media", lambda: self._image(crawl), "process_media")
        if "IndexQueueUrl" in self.deployment.outputs:
            yield self._finding("search", lambda: self._found(site), "index_site results")
        yield self._finding("exports", lambda: self._exports(crawl), "finish_crawl api")
        yield self._finding("webhook delivery", lambda: self._delivered(webhook), "notify deliver")

    def _finding(self, check: str, run: Callable[[], str], functions: str) -> Finding:
        found = finding_of(f"check crawl: {check}", run)
        if not found.problem:
            return found
        names = ", ".join(f"{self.deployment.stack}-{name.replace('_', '-')}" for name in functions.split())
        return Finding(check=found.check, problem=f"{found.problem}. Look at the logs of {names}")

    def _denied(self) -> str:
        shown = self._ended(self.api.start(self.site + DENIED, {"discovery": "links_only"}))
        self.api.ask("DELETE", f"/v1/crawls/{shown['crawl']}")
        if shown["status"] != "failed" or "robots" not in shown["error"]:
            raise PermanentError(f"crawl {shown['crawl']} is {shown['status']} instead of failed: {shown['error']}")
        return "a signed message started a crawl, which robots.txt denied"

    def _start(self, site: str) -> str:
        """Start the crawl of the saved site by an event, as a schedule does. Return its ID."""
        function = f"{self.deployment.stack}-start-site"
        event = {"detail-type": "crawl.requested", "id": uuid4().hex, "detail": {"site": site}}
        with explained(f"invoking {function}"):
            response = self.deployment.client("lambda").invoke(
                FunctionName=function, Payload=json.dumps(event).encode()
            )
        answer = json.load(response["Payload"])
        if "FunctionError" in response or answer["skipped"]:
            raise PermanentError(f"{function}: {answer.get('errorMessage') or answer.get('skipped')}")
        return str(answer["crawl"])

    def _ended(self, crawl: str) -> Any:
        return self._until(
            lambda: self.api.ask("GET", f"/v1/crawls/{crawl}"),
            lambda shown: shown["status"] in _ENDED,
            seconds=_LONGEST,
            late=lambda shown: f"crawl {crawl} is {shown['status']} after {_LONGEST:.0f} s, with {_progress(shown)}",
        )

    def _pages(self, crawl: str) -> str:
        wanted = PAGES if "RenderQueueUrl" in self.deployment.outputs else PAGES - 1
        found = self.api.ask("GET", f"/v1/crawls/{crawl}")["outcome"]["pages"]
        if found != wanted:
            raise PermanentError(f"{counted(found, 'page')} instead of {wanted}: see GET /v1/crawls/{crawl}/urls")
        return f"all {counted(found, 'page')} found"

    def _page(self, crawl: str, path: str) -> str:
        shown = self.api.ask("GET", f"/v1/crawls/{crawl}/urls/explain?url={quote(self.site + path, safe='')}")
        if shown["found"] is None or shown["found"]["state"] != "fetched":
            raise PermanentError(f"{path} was not fetched: {shown['because']}")
        return f"{path} fetched"

    def _rendered(self, crawl: str) -> str:
        self._page(crawl, RENDERED)
        self._page(crawl, BY_SCRIPT)
        return "a script was run, and its link followed"

    def _image(self, crawl: str) -> str:
        media = self.api.ask("GET", f"/v1/crawls/{crawl}/media")["media"]
        if not [one for one in media if one["url"].endswith(IMAGE) and one["width"] == 1]:
            raise PermanentError(f"{IMAGE} was not stored")
        return "an image was stored"

    def _found(self, site: str) -> str:
        return (
            self._until(
                lambda: self.api.ask("GET", f"/v1/sites/{site}/search?q={WORD}"),
                lambda shown: any(one["url"].endswith(ROOT) for one in shown["passages"]),
                seconds=_PATIENCE,
                late=lambda _: f"{WORD}, a word of the root page, is not found in the search",
            )
            and "a word of the root page is found"
        )

    def _exports(self, crawl: str) -> str:
        exports = self.api.ask("GET", f"/v1/crawls/{crawl}/exports")["exports"]
        if "pages.csv" not in {one["name"] for one in exports}:
            raise PermanentError("pages.csv is missing")
        return counted(len(exports), "file")

    def _delivered(self, webhook: str) -> str:
        return (
            self._until(
                lambda: self.api.ask("GET", f"/v1/webhooks/{webhook}/deliveries")["deliveries"],
                lambda shown: any(one["state"] == "delivered" for one in shown),
                seconds=_PATIENCE,
                late=lambda shown: f"no message was delivered: {[(one['state'], one['status']) for one in shown]}",
            )
            and "delivered"
        )

    def _until(
        self,
        ask: Callable[[], Any],
        good: Callable[[Any], bool],
        *,
        seconds: float,
        late: Callable[[Any], str],
    ) -> Any:
        """Repeat a request until its response is good; raise PermanentError with the text of `late` if none is."""
        for _ in range(int(seconds / _POLL)):
            shown = ask()
            if good(shown):
                return shown
            self.sleep(_POLL)
        raise PermanentError(late(shown))

    @contextmanager
    def _webhook(self) -> Iterator[str]:
        made = self.api.ask("POST", "/v1/webhooks", {"url": self.site + HOOK, "description": "wavecrawl doctor"})
        try:
            yield made["webhook"]
        finally:
            self.api.ask("DELETE", f"/v1/webhooks/{made['webhook']}")

    @contextmanager
    def _saved(self) -> Iterator[str]:
        made = self.api.ask("POST", "/v1/sites", {"url": self.site + ROOT, "settings": SETTINGS})["site"]
        try:
            yield made
        finally:
            for crawl in self.api.ask("GET", f"/v1/sites/{made}/crawls")["crawls"]:
                if crawl["status"] in _ENDED:
                    self.api.ask("DELETE", f"/v1/crawls/{crawl['crawl']}")
            self.api.ask("DELETE", f"/v1/sites/{made}")


def _progress(shown: Any) -> str:
    return counted(shown["counters"]["fetched"], "page")
