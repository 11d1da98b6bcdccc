"""The server of sites: what tests and the demo rely on."""

from wavecrawl.demo.plain import plain_site
from wavecrawl.demo.server import SiteServer

SITE = plain_site(pages=1, body_bytes=10)


def test_no_two_servers_have_the_same_origin() -> None:
    """Or a crawler would remember the pages of the one for the other's."""
    origins = []
    for _ in range(600):  # the kernel gives one of them twice, more often than not
        with SiteServer(SITE) as server:
            origins.append(server.origin)
    assert len(set(origins)) == len(origins)


def test_a_server_that_is_started_again_keeps_its_origin() -> None:
    server = SiteServer(SITE)
    with server:
        first = server.origin
    with server:
        assert server.origin == first
