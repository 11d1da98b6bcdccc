"""The function render_batch, over moto, with a browser that knows what the scripts of a site make."""

import json
from collections.abc import Callable

from tests.support.campaign import slow
from tests.support.fake_browser import FakeBrowser
from tests.support.functions import Context, Deployment, event
from tests.support.hits import hits
from tests.support.serverless import Serverless
from tests.support.shell_site import APP, shell_site, shop_browser
from tests.support.signing import webhook

from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import BatchKind, CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import TransientError
from wavecrawl.ports.browser import RenderedPage, RenderRequest
from wavecrawl.ports.crawls import CrawlRow

SETTINGS = {"retry_base": 0.0, "polite": {"interval": 0.0, "adapt": False}}
SAMPLE = event("render_batch")

Browsers = Callable[[FakeBrowser], None]


def crawled(stack: Deployment, url: str, **settings: object) -> tuple[Serverless, CrawlId]:
    """Crawl a site; return what ran it."""
    service = Serverless(stack)
    sent = webhook({"url": url, "settings": SETTINGS | settings}, id_="msg_1")
    started = json.loads(stack.load("webhook").handler(sent, service.context)["body"])
    id_ = {"tenant": "default", "site": started["site"], "crawl": started["crawl"]}
    assert service.run(id_)["status"] == "completed"
    return service, CrawlId(**id_)


@slow
def test_shells_are_rendered_by_their_own_function_from_what_was_fetched(
    stack: Deployment, render_with: Browsers
) -> None:
    browser = shop_browser()
    render_with(browser)
    with SiteServer(shell_site()) as server:
        service, crawl = crawled(stack, server.url)
        assert {path: hits(server, path) for path in APP} == dict.fromkeys(APP, 1), "only a browser finds all of them"
    assert "render_batch" in service.calls
    assert {request.url.removeprefix(server.origin) for request in browser.requests} >= set(APP)
    usage = service.functions["render_batch"].cloud.waves.usage(crawl)
    assert usage.lambda_x86_gb_seconds > 0
    assert usage.lambda_gb_seconds > 0


@slow
def test_without_rendering_the_crawl_finds_what_the_html_has(stack: Deployment, render_with: Browsers) -> None:
    browser = shop_browser()
    render_with(browser)
    with SiteServer(shell_site()) as server:
        service, _ = crawled(stack, server.url, render={"mode": "never"})
        assert [path for path in APP if hits(server, path)] == [APP[0]]
    assert "render_batch" not in service.calls
    assert browser.requests == []


def test_a_deployment_without_the_function_renders_nothing(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_RENDER_QUEUE_URL"] = ""
    cloud = stack.load("run_wave", WAVECRAWL_RENDER_QUEUE_URL="").cloud
    assert not cloud.renders
    assert cloud.queues.kinds == set(BatchKind) - {BatchKind.RENDER}


def test_a_batch_of_a_crawl_that_has_ended_is_dropped(stack: Deployment, context: Context) -> None:
    assert stack.load("render_batch").handler(SAMPLE, context) == {"batchItemFailures": []}


def test_a_batch_is_delivered_again_if_the_browser_cannot_be_started(stack: Deployment, render_with: Browsers) -> None:
    def fails(request: RenderRequest) -> RenderedPage:
        raise TransientError(f"no memory for {request.url}")

    render_with(FakeBrowser(fails))
    with SiteServer(shell_site()) as server:
        service = Serverless(stack)
        cloud = service.functions["render_batch"].cloud
        id_ = CrawlId(tenant="default", site="s", crawl="c")
        settings = CrawlSettings(allowed_addresses=("127.0.0.0/8",))
        now = cloud.clock.now()
        row = CrawlRow(id=id_, start_url=server.url, root_url=server.url, settings=settings, started_at=now)
        cloud.crawls.create(row)
        crawl = {"tenant": "default", "site": "s", "crawl": "c"}
        service.call("open_crawl", {"crawl": crawl})
        for wave in (1, 2, 3):
            service.call("run_wave", {"crawl": crawl, "phase": "bfs", "wave": wave, "token": f"t{wave}"})
            for record in stack.messages():
                service.call("fetch_batch", {"Records": [record]})
            if records := stack.messages(stack.renders, delete=False):
                break
        again = [{"itemIdentifier": record["messageId"]} for record in records]
        assert again
        assert service.call("render_batch", {"Records": records}) == {"batchItemFailures": again}
