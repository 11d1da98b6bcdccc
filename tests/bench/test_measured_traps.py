"""What the benchmark of traps counts."""

from http.client import HTTPConnection

from bench.ordinary_sites import ordinary_sites
from bench.trap_model import MeasuredServer, MeasuredSite, page
from bench.trap_sites import trap_sites
from bench.traps import Measured

SITE = MeasuredSite(
    kind="kind",
    name="name",
    answers=lambda path: None if path.startswith("/missing") else page(path.partition("?")[0], "text"),
    contents=frozenset({"/", "/a", "/b"}),
)


def test_requests_with_content_that_was_sent_before_and_lost_content_are_counted() -> None:
    with MeasuredServer(SITE) as server:
        connection = HTTPConnection(server.host, server.port)
        for path in ("/robots.txt", "/", "/", "/a", "/a?sort=1", "/missing", "/sitemap.xml"):
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()
    assert server.requested == {"/", "/a", "/a?sort=1", "/missing"}
    assert server.found == {"/", "/a"}
    assert server.lost == ["/b"]


def test_a_twentieth_of_the_requests_or_forty_may_be_wasted() -> None:
    figures = ((100, 40, ()), (100, 41, ()), (1_000, 50, ()), (1_000, 51, ()), (10, 0, ("/a",)))
    within = [
        Measured(site=SITE, requests=requests, wasted=wasted, lost=lost).is_within for requests, wasted, lost in figures
    ]
    assert within == [True, False, True, False, False]


def test_sites_have_names_of_their_own_and_return_their_start_page() -> None:
    sites = [*trap_sites(), *ordinary_sites()]
    assert len({(site.kind, site.name) for site in sites}) == len(sites) > 40
    assert all(site.answers("/") is not None for site in sites)
