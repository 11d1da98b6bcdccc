"""Screenshots are stored under the same names in a folder and in S3."""

from urllib.parse import parse_qs, urlsplit

from moto import mock_aws
from msgspec.structs import replace
from tests.contract.stores import moto_clients
from tests.support.emulator import new_bucket

from wavecrawl.adapters.aws.screenshots import S3Screenshots
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.exports import LIFETIME

KEY = "0123456789abcdef0123456789abcdef"
JPEG = b"\xff\xd8\xff a picture \xff\xd9"


def test_a_screenshot_is_read_back_under_its_name(stores: Ports, crawl: CrawlId) -> None:
    name = stores.screenshots.put(crawl, KEY, JPEG)
    assert name == f"tenants/t/sites/example.com/crawls/c1/screenshots/{KEY}.jpg"
    assert stores.screenshots.get(name) == JPEG


def test_a_later_one_replaces_it(stores: Ports, crawl: CrawlId) -> None:
    """A batch that is delivered again makes its screenshots again."""
    name = stores.screenshots.put(crawl, KEY, JPEG)
    assert stores.screenshots.put(crawl, KEY, JPEG * 2) == name
    assert stores.screenshots.get(name) == JPEG * 2


def test_crawls_and_pages_have_their_own(stores: Ports, crawl: CrawlId) -> None:
    first = stores.screenshots.put(crawl, KEY, JPEG)
    second = stores.screenshots.put(replace(crawl, crawl="c2"), KEY, JPEG * 2)
    third = stores.screenshots.put(crawl, "f" * 32, JPEG * 3)
    assert [stores.screenshots.get(name) for name in (first, second, third)] == [JPEG, JPEG * 2, JPEG * 3]
    assert stores.screenshots.get(first.replace("c1", "c9")) is None


def test_a_deleted_crawl_has_none(stores: Ports, crawl: CrawlId) -> None:
    name = stores.screenshots.put(crawl, KEY, JPEG)
    stores.erasure.erase(crawl)
    assert stores.screenshots.get(name) is None


def test_a_screenshot_is_deleted_alone(stores: Ports, crawl: CrawlId) -> None:
    first = stores.screenshots.put(crawl, KEY, JPEG)
    others = [
        stores.screenshots.put(crawl, "f" * 32, JPEG),
        stores.screenshots.put(replace(crawl, crawl="c2"), KEY, JPEG),
    ]
    for _ in range(2):
        stores.screenshots.delete(crawl, KEY)
    assert stores.screenshots.get(first) is None
    assert [stores.screenshots.get(name) for name in others] == [JPEG, JPEG]


def test_the_size_is_that_of_the_crawls_own(stores: Ports, crawl: CrawlId) -> None:
    assert stores.screenshots.size(crawl, most=1_000) == 0
    for number in range(3):
        stores.screenshots.put(crawl, f"{number:032x}", JPEG)
    stores.screenshots.put(replace(crawl, crawl="c2"), KEY, JPEG)
    assert stores.screenshots.size(crawl, most=1_000) == 3 * len(JPEG)
    assert stores.screenshots.size(crawl, most=len(JPEG)) > len(JPEG)


def test_a_signed_url_names_the_screenshot(stores: Ports, crawl: CrawlId) -> None:
    """An unchanged page has the screenshot of an earlier crawl."""
    name = stores.screenshots.put(crawl, KEY, JPEG)
    for asking in (crawl, replace(crawl, crawl="c2")):
        assert stores.screenshots.signed_url(asking, name) is not None


def test_there_is_no_url_of_other_sites_and_other_files(stores: Ports, crawl: CrawlId) -> None:
    others = (replace(crawl, tenant="u"), replace(crawl, site="s"), replace(crawl, tenant="t/sites/example.com"))
    for other in others:
        assert stores.screenshots.signed_url(crawl, stores.screenshots.put(other, KEY, JPEG)) is None
    stores.archive.open(BatchId(crawl=crawl, wave=1, batch=0), attempt=1).commit()
    prefix = f"tenants/t/sites/{crawl.site}/crawls"
    for name in (
        "",
        f"{prefix}/c1/records/000001-0000-1.jsonl.gz",
        f"{prefix}/../screenshots/{KEY}.jpg",
        f"{prefix}//screenshots/{KEY}.jpg",
        f"{prefix}/c1/screenshots/../records/000001-0000-1.jsonl.gz",
        f"/{prefix}/c1/screenshots/{KEY}.jpg",
    ):
        assert stores.screenshots.signed_url(crawl, name) is None


def test_there_is_no_url_of_what_is_gone(stores: Ports, crawl: CrawlId) -> None:
    name = stores.screenshots.put(crawl, KEY, JPEG)
    stores.erasure.erase(crawl)
    assert stores.screenshots.signed_url(crawl, name) is None


def test_a_url_of_s3_shows_a_picture(crawl: CrawlId) -> None:
    with mock_aws():
        screenshots = S3Screenshots(moto_clients().s3, new_bucket(moto_clients()))
        url = urlsplit(screenshots.signed_url(crawl, screenshots.put(crawl, KEY, JPEG)) or "")
    values = parse_qs(url.query)
    assert url.path.endswith(f"/c1/screenshots/{KEY}.jpg")
    assert values["X-Amz-Expires"] == [str(LIFETIME)]
    assert values["response-content-type"] == ["image/jpeg"]
    assert values["response-content-disposition"] == [f'inline; filename="example.com-c1-{KEY}.jpg"']
