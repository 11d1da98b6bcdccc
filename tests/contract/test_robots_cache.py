from msgspec.structs import replace

from wavecrawl.domain.politeness.robots import RobotsFile
from wavecrawl.ports.all_ports import Ports

FILE = RobotsFile(
    origin="https://example.com",
    fetched_at=4e9,  # rows that are too old may be deleted
    status=200,
    body=b"User-agent: *\nDisallow: /x\xff",
)


def test_a_file_comes_back_by_origin(stores: Ports) -> None:
    stores.robots.write(FILE)
    assert stores.robots.read("https://example.com") == FILE
    assert stores.robots.read("http://example.com") is None


def test_the_newer_file_counts(stores: Ports) -> None:
    stores.robots.write(FILE)
    gone = replace(FILE, status=404, body=b"")
    stores.robots.write(gone)
    assert stores.robots.read("https://example.com") == gone
