"""A list with one URL for each host, through the functions: what each URL costs."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from tests.support.functions import API_KEY, Context, Deployment, event
from tests.support.serverless import Serverless

from wavecrawl.domain.crawl.job import CrawlId

HOSTS = 40


class Page(BaseHTTPRequestHandler):
    """A page at / without links, and no robots.txt."""

    def do_GET(self) -> None:
        body = b"<title>page</title><p>A page."
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def servers() -> Iterator[list[str]]:
    """Serve a page on many ports, each of which is a host; yield their URLs."""
    with ExitStack() as stack:
        urls = []
        for _ in range(HOSTS):
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Page))
            stack.callback(server.shutdown)
            Thread(target=server.serve_forever, daemon=True).start()
            urls.append(f"http://127.0.0.1:{server.server_port}/")
        yield urls


@pytest.fixture(name="crawled")
def a_list_crawl(stack: Deployment) -> tuple[Serverless, CrawlId]:
    with servers() as urls:
        asked = event("api")
        settings = {"discovery": "list", "urls": urls}
        asked["body"] = json.dumps({"url": urls[0], "settings": settings})
        asked["headers"]["authorization"] = f"Bearer {API_KEY}"
        answer = stack.load("api").handler(asked, Context())
        assert answer["statusCode"] == 202, answer["body"]
        body = json.loads(answer["body"])
        service = Serverless(stack)
        service.run({"tenant": "default", "site": body["site"], "crawl": body["crawl"]})
    return service, CrawlId(tenant="default", site=body["site"], crawl=body["crawl"])


def test_hosts_with_one_url_each_share_batches(crawled: tuple[Serverless, CrawlId]) -> None:
    service, crawl = crawled
    waves = service.functions["run_wave"].cloud.waves
    assert service.calls.count("fetch_batch") == 2  # 25 URLs and 15
    assert waves.progress(crawl).fetched == HOSTS
    usage = waves.usage(crawl)
    assert usage.queue_requests < HOSTS, "each message takes three requests"
    assert usage.puts < 2 * HOSTS, "each batch stores two objects"
