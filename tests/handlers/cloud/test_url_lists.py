"""Lists of URLs that are larger than an item of the table."""

import json
import re
from base64 import urlsafe_b64encode
from hashlib import blake2b
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.asking import ask
from tests.support.campaign import slow
from tests.support.comparing import fingerprint
from tests.support.crawling import QUICK, crawl_inline
from tests.support.functions import API_KEY, Context, Deployment, event
from tests.support.serverless import Serverless

from wavecrawl.application.url_list import load_urls
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import CorruptDataError

URLS = 12_000
MOST_TRIES = 20
SITE = Site(pages=(page("/"), page("/listed")))
SETTINGS = {
    "discovery": "list",
    "max_tries": MOST_TRIES,
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}


@pytest.fixture(name="stack")
def with_large_bodies(stack: Deployment) -> Deployment:
    stack.environment |= {"WAVECRAWL_MAX_BODY_BYTES": "1048576", "WAVECRAWL_CONTACT": ""}
    return stack


def listed(origin: str) -> list[str]:
    """Return URLs that do not compress well: their paths are hashes."""
    hashes = (urlsafe_b64encode(blake2b(b"%d" % n, digest_size=36).digest()).decode() for n in range(1, URLS))
    return [f"{origin}/listed", *(f"{origin}/{name}" for name in hashes)]


def start(stack: Deployment, url: str, urls: list[str]) -> CrawlId:
    asked = event("api")
    asked["body"] = json.dumps({"url": url, "settings": SETTINGS | {"urls": urls}})
    asked["headers"]["authorization"] = f"Bearer {API_KEY}"
    answer = stack.load("api").handler(asked, Context())
    assert answer["statusCode"] == 202, answer["body"]
    body = json.loads(answer["body"])
    return CrawlId(tenant="default", site=body["site"], crawl=body["crawl"])


def downloaded(stack: Deployment, crawl: CrawlId, folder: Path) -> Path:
    prefix = f"tenants/{crawl.tenant}/sites/{crawl.site}/crawls/{crawl.crawl}/exports/"
    folder.mkdir()
    for entry in stack.clients.s3.list_objects_v2(Bucket=stack.bucket, Prefix=prefix)["Contents"]:
        body = stack.clients.s3.get_object(Bucket=stack.bucket, Key=entry["Key"])["Body"].read()
        (folder / entry["Key"].removeprefix(prefix)).write_bytes(body)
    return folder


@slow
def test_a_list_larger_than_an_item_is_crawled_as_on_one_machine(stack: Deployment, tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        crawl = start(stack, server.url, listed(server.origin))
        service = Serverless(stack)
        finished = service.run({"tenant": crawl.tenant, "site": crawl.site, "crawl": crawl.crawl})
        found = fingerprint(downloaded(stack, crawl, tmp_path / "cloud"), server.origin)
        urls = tuple(listed(server.origin))
        settings = replace(QUICK, discovery=Discovery.LIST, urls=urls, max_tries=MOST_TRIES, files_at_once=())
        done = crawl_inline(server.url, tmp_path / "local", settings)
        expected = fingerprint(done.exports, server.origin)
    assert len(done.ledger()) == URLS
    assert finished == {"status": "completed", "pages": done.summary.pages}
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name] == expected[name], name


def test_a_bad_url_of_a_list_is_named_by_its_number_and_nothing_is_stored(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_CONTACT"] = "https://operator.example/"
    api = stack.load("api")
    urls = [*(f"https://site.example/{number}" for number in range(1_500)), "ftp://site.example/", "no url"]
    asked = {"url": "https://site.example/", "settings": SETTINGS | {"urls": urls}}
    refused = ask(api.handler, "POST", "/v1/crawls", asked)
    assert refused.status == 400
    assert "URL 1,501 of the list cannot be crawled: only http and https" in refused.body["detail"]
    assert ask(api.handler, "GET", "/v1/crawls").body["crawls"] == []
    assert stack.clients.s3.list_objects_v2(Bucket=stack.bucket).get("KeyCount") == 0


def test_a_site_whose_settings_do_not_fit_an_item_is_refused(stack: Deployment) -> None:
    handler = stack.load("api").handler
    urls = listed("https://site.example")
    refused = ask(handler, "POST", "/v1/sites", {"url": "https://site.example/", "settings": SETTINGS | {"urls": urls}})
    assert refused.status == 400
    assert re.search(r"settings take \d{3},\d{3} bytes .* at most 358,400 .* without a site", refused.body["detail"])
    assert ask(handler, "GET", "/v1/sites").body["sites"] == []
    site = ask(handler, "POST", "/v1/sites", {"url": "https://site.example/", "name": "first"}).body["site"]
    update = {"name": "second", "settings": SETTINGS | {"urls": urls}}
    assert ask(handler, "PATCH", f"/v1/sites/{site}", update).status == 400
    stored = ask(handler, "GET", f"/v1/sites/{site}").body
    assert (stored["name"], stored["version"], stored["settings"]["urls"]) == ("first", 1, [])


def test_the_list_of_a_site_is_returned_and_crawled(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_CONTACT"] = "https://operator.example/"
    api = stack.load("api")
    urls = [f"https://site.example/{number}" for number in range(URLS)]
    saved = ask(
        api.handler, "POST", "/v1/sites", {"url": "https://site.example/", "settings": SETTINGS | {"urls": urls}}
    )
    assert (saved.status, saved.body["settings"]["urls"]) == (201, urls)
    started = ask(api.handler, "POST", f"/v1/sites/{saved.body['site']}/crawls")
    crawl = CrawlId(tenant="default", site=saved.body["site"], crawl=started.body["crawl"])
    assert load_urls(api.cloud.objects, crawl) == tuple(urls)
    api.cloud.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=api.cloud.clock.now())
    assert ask(api.handler, "DELETE", f"/v1/crawls/{crawl.crawl}").status == 204
    with pytest.raises(CorruptDataError, match="is missing"):
        load_urls(api.cloud.objects, crawl)


def test_the_list_expires_with_the_snapshots(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_CONTACT"] = "https://operator.example/"
    crawl = start(stack, "https://site.example/", ["https://site.example/a"])
    key = f"tenants/{crawl.tenant}/sites/{crawl.site}/crawls/{crawl.crawl}/frontier/urls.msgpack"
    tags = stack.clients.s3.get_object_tagging(Bucket=stack.bucket, Key=key)["TagSet"]
    assert tags == [{"Key": "lifetime", "Value": "crawl"}]
