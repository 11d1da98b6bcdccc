"""The request of one resource of a full archive: every outcome, and what is stored of it."""

from collections.abc import Mapping

import pytest
from msgspec import structs
from tests.support.canned import Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.application.fetch_resource import ResourceFetcher
from wavecrawl.application.fetched_page import FetchedPage
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.archive.settings import ArchiveContent, ArchiveSettings
from wavecrawl.domain.crawl.job import CrawlId, JobItem, Validators
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, StoredPayload, TransportFault, digest_of
from wavecrawl.ports.crawls import CrawlRow

OTHER = "https://other.example"
URL = f"{OTHER}/a.css"
ROBOTS = answer(200, "User-agent: *\nDisallow: /private", (("Content-Type", "text/plain"),))
SETTINGS = CrawlSettings(archive=ArchiveSettings(content=ArchiveContent.FULL))
ROW = CrawlRow(id=CrawlId(tenant="t", site="s", crawl="c"), start_url=OTHER, root_url=f"{OTHER}/", settings=SETTINGS)
CSS = (("Content-Type", "text/css"), ("ETag", '"1"'))
STYLE = answer(200, "p { background: url(b.png) }", CSS)
PAYLOAD = StoredPayload(url=URL, at=1.0, id="<urn:uuid:1>", digest=digest_of(STYLE.raw_body))


def fetch(
    store: LocalStore, *answers: Exchange, tries: int = 1, known: Mapping[str, PageRecord | None] | None = None
) -> tuple[FetchedPage, Canned]:
    """Fetch the resource; its validators name the record "first" of those that are `known`."""
    client = Canned({f"{OTHER}/robots.txt": [ROBOTS], URL: list(answers), f"{OTHER}/new/a.css": [STYLE]})
    clock = StillClock()
    rules = site_rules(ROW, client=client, cache=store.robots, clock=clock)
    fetcher = ResourceFetcher(
        client=client,
        requests=OutsideRequests(robots=rules.robots, clock=clock, settings=SETTINGS),
        media=rules.media,
        record_at=(known or {}).get,
        settings=SETTINGS,
    )
    validators = None if known is None else Validators(etag='"1"', record="first")
    item = JobItem(url=URL, key="0" * 32, depth=1, tries=tries, validators=validators)
    return fetcher.fetch(item, lambda: True), client


def stored(store: LocalStore, **values: object) -> PageRecord:
    """Return the record of the stylesheet as an earlier crawl stored it."""
    fetched, _ = fetch(store, STYLE)
    return structs.replace(fetched.record, **{"warc_length": 100, "payload": PAYLOAD, **values})


def used(fetched: FetchedPage) -> list[str]:
    return [one.url for one in fetched.record.media or ()]


def fault(kind: TransportFault, status: int | None = None, body: str = "") -> Exchange:
    return structs.replace(answer(200, body, CSS), status=status, fault=kind, fault_detail=kind.value)


@pytest.mark.parametrize(
    ("answered", "tries", "expected"),
    [
        (STYLE, 1, (UrlState.FETCHED, Reason.NONE, 1)),
        (answer(404), 1, (UrlState.NOT_FOUND, Reason.STATUS, 1)),
        (answer(304), 1, (UrlState.HTTP_ERROR, Reason.STATUS, 0)),
        (answer(503), 1, (UrlState.DEFERRED, Reason.STATUS, 0)),
        (answer(503), 3, (UrlState.HTTP_ERROR, Reason.STATUS, 1)),
        (fault(TransportFault.BLOCKED_ADDRESS), 3, (UrlState.FAILED, Reason.BLOCKED_ADDRESS, 1)),
        (structs.replace(STYLE, truncated=True), 1, (UrlState.SKIPPED, Reason.TOO_LARGE, 0)),
        (fault(TransportFault.RESET, 200, "p"), 3, (UrlState.SKIPPED, Reason.INCOMPLETE, 0)),
        (redirect("/private/a.css"), 1, (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE, 0)),
        (redirect("/new/a.css"), 1, (UrlState.FETCHED, Reason.NONE, 2)),
    ],
)
def test_what_arrives_completely_is_stored(
    store: LocalStore, answered: Exchange, tries: int, expected: tuple[UrlState, Reason, int]
) -> None:
    fetched, _ = fetch(store, answered, tries=tries)
    assert (fetched.record.state, fetched.record.reason, len(fetched.exchanges)) == expected


def test_only_stylesheets_lead_to_more_from_where_they_were_found(store: LocalStore) -> None:
    assert used(fetch(store, STYLE)[0]) == [f"{OTHER}/b.png"]
    assert used(fetch(store, redirect("/new/a.css"))[0]) == [f"{OTHER}/new/b.png"]
    script = structs.replace(STYLE, headers=(("Content-Type", "text/javascript"),))
    assert fetch(store, script)[0].record.media is None


def test_the_record_has_the_sizes_of_the_body(store: LocalStore) -> None:
    record = fetch(store, STYLE)[0].record
    assert (record.bytes, record.decoded_bytes) == (28, 28)


@pytest.mark.parametrize("answered", [answer(304, headers=(("ETag", '"1"'),)), STYLE])
def test_an_unchanged_resource_refers_to_the_stored_response(store: LocalStore, answered: Exchange) -> None:
    known = {"first": stored(store, body_at="body", warc_length=0), "body": stored(store)}
    fetched, client = fetch(store, answered, known=known)
    assert (fetched.record.state, fetched.record.body_at, used(fetched)) == (
        UrlState.UNCHANGED,
        "body",
        [f"{OTHER}/b.png"],
    )
    assert [one.known for one in fetched.exchanges] == [PAYLOAD]
    assert client.requests[-1].headers == (("If-None-Match", '"1"'),)


def test_conditions_are_sent_only_to_the_url_of_the_stored_response(store: LocalStore) -> None:
    fetched, client = fetch(store, redirect("/new/a.css"), known={"first": stored(store)})
    assert [one.headers for one in client.requests[-2:]] == [(("If-None-Match", '"1"'),), ()]
    assert (fetched.record.state, used(fetched)) == (UrlState.FETCHED, [f"{OTHER}/new/b.png"])


def test_another_url_has_no_unchanged_content_to_refer_to(store: LocalStore) -> None:
    known = {"first": stored(store, final_url=f"{OTHER}/elsewhere.css")}
    fetched, _ = fetch(store, answer(304), known=known)
    assert (fetched.record.state, fetched.record.body_at) == (UrlState.HTTP_ERROR, "")


def test_another_content_or_coding_is_stored_again(store: LocalStore) -> None:
    other = answer(200, "p { color: red }", CSS)
    assert fetch(store, other, known={"first": stored(store)})[0].record.state is UrlState.FETCHED
    coded = structs.replace(STYLE, raw_body=b"coded")
    (exchange,) = fetch(store, coded, known={"first": stored(store)})[0].exchanges
    assert exchange.known is None


@pytest.mark.parametrize("lost", ["first", "body"])
def test_a_resource_whose_stored_response_is_lost_is_requested_without_conditions(store: LocalStore, lost: str) -> None:
    known = {"first": stored(store, body_at="body", warc_length=0), "body": stored(store)} | {lost: None}
    fetched, client = fetch(store, STYLE, known=known)
    assert (fetched.record.state, client.requests[-1].headers) == (UrlState.FETCHED, ())
