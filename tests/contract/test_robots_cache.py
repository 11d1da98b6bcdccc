from dataclasses import replace

from tests.contract.stores import Stores

from wavecrawl.domain.politeness.robots import RobotsFile

FILE = RobotsFile(origin="https://example.com", fetched_at=5.0, status=200, body=b"User-agent: *\nDisallow: /x\xff")


def test_a_file_comes_back_by_origin(stores: Stores) -> None:
    stores.robots.write(FILE)
    assert stores.robots.read("https://example.com") == FILE
    assert stores.robots.read("http://example.com") is None


def test_the_newer_file_counts(stores: Stores) -> None:
    stores.robots.write(FILE)
    unread = replace(FILE, status=None, body=b"", problem="example.com has no address")
    stores.robots.write(unread)
    assert stores.robots.read("https://example.com") == unread
