"""The server of sites: behaviour that tests and the demo rely on."""

from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

SITE = plain_site(pages=1, body_bytes=10)


def test_no_two_servers_have_the_same_origin() -> None:
    """If two had the same, a crawler would mistake one site's pages for the other's."""
    origins = []
    for _ in range(600):  # in most runs the kernel returns some port twice
        with SiteServer(SITE) as server:
            origins.append(server.origin)
    assert len(set(origins)) == len(origins)


def test_a_server_that_is_started_again_keeps_its_origin() -> None:
    server = SiteServer(SITE)
    with server:
        first = server.origin
    with server:
        assert server.origin == first
