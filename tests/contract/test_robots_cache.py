from dataclasses import replace

from wavecrawl.domain.politeness.robots import RobotsFile
from wavecrawl.ports.all_ports import Ports

FILE = RobotsFile(origin="https://example.com", fetched_at=5.0, status=200, body=b"User-agent: *\nDisallow: /x\xff")


def test_a_file_comes_back_by_origin(stores: Ports) -> None:
    stores.robots.write(FILE)
    assert stores.robots.read("https://example.com") == FILE
    assert stores.robots.read("http://example.com") is None


def test_the_newer_file_counts(stores: Ports) -> None:
    stores.robots.write(FILE)
    unread = replace(FILE, status=None, body=b"", problem="example.com has no address")
    stores.robots.write(unread)
    assert stores.robots.read("https://example.com") == unread
