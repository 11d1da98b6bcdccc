import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Cut, Exchange, TransportFault
from wavecrawl.domain.fetching.outcome import classify, location_of, media_type
from wavecrawl.domain.fetching.retries import back_off, chance_of, retry_after
from wavecrawl.domain.fetching.streams import is_endless, may_be_endless


def answer(status: int, **headers: str) -> Exchange:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Exchange(url="https://example.com/", status=status, reason="Why", headers=pairs, started_at=1_000.0)


@pytest.mark.parametrize(
    ("status", "state", "retry"),
    [
        (200, UrlState.FETCHED, False), (204, UrlState.FETCHED, False), (304, UrlState.UNCHANGED, False),
        (300, UrlState.FETCHED, False), (305, UrlState.FETCHED, False), (399, UrlState.FETCHED, False),
        (401, UrlState.FORBIDDEN, False), (403, UrlState.FORBIDDEN, False),
        (404, UrlState.NOT_FOUND, False), (410, UrlState.NOT_FOUND, False),
        (400, UrlState.HTTP_ERROR, False), (418, UrlState.HTTP_ERROR, False), (451, UrlState.HTTP_ERROR, False),
        (408, UrlState.HTTP_ERROR, True), (421, UrlState.HTTP_ERROR, True), (425, UrlState.HTTP_ERROR, True),
        (429, UrlState.HTTP_ERROR, True), (500, UrlState.HTTP_ERROR, True), (503, UrlState.HTTP_ERROR, True),
        (599, UrlState.HTTP_ERROR, True), (999, UrlState.HTTP_ERROR, True),
    ],
)  # fmt: skip
def test_a_status_gives_a_state(status: int, state: UrlState, *, retry: bool) -> None:
    outcome = classify(answer(status))
    assert (outcome.state, outcome.retry) == (state, retry)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_needs_a_location_and_is_a_page_without_one(status: int) -> None:
    assert classify(answer(status, Location="/x")).state is UrlState.REDIRECTED
    assert location_of(answer(status, Location="/x")) == "/x"
    for page in (answer(status), answer(status, Location="")):
        assert classify(page).state is UrlState.FETCHED
        assert location_of(page) == ""


def test_only_the_five_statuses_of_redirects_redirect() -> None:
    assert classify(answer(300, Location="/x")).state is UrlState.FETCHED
    assert location_of(answer(200, Location="/x")) == ""


def test_the_first_location_that_is_not_empty_counts() -> None:
    headers = (("Location", ""), ("location", "/x"), ("Location", "/y"))
    assert location_of(Exchange(url="https://example.com/", status=301, headers=headers)) == "/x"


@pytest.mark.parametrize("fault", [TransportFault.RESET, TransportFault.DECODING, TransportFault.PROTOCOL])
@pytest.mark.parametrize(
    ("status", "state"),
    [(301, UrlState.REDIRECTED), (404, UrlState.NOT_FOUND), (403, UrlState.FORBIDDEN), (200, UrlState.FETCHED)],
)
def test_the_head_decides_whatever_became_of_the_body(status: int, state: UrlState, fault: TransportFault) -> None:
    cut = structs.replace(answer(status, Location="/x"), fault=fault, raw_body=b"half", body=b"half")
    assert (classify(cut).state, classify(cut).retry) == (state, False)


@pytest.mark.parametrize("fault", list(TransportFault))
def test_a_fault_without_answer_fails_and_is_tried_again_unless_that_is_hopeless(fault: TransportFault) -> None:
    outcome = classify(Exchange(url="https://example.com/", fault=fault, fault_detail="what happened"))
    assert outcome.state is UrlState.FAILED
    assert outcome.reason.value == fault.value
    assert outcome.detail == "what happened"
    assert outcome.retry == (
        fault not in (TransportFault.BLOCKED_ADDRESS, TransportFault.URL, TransportFault.DENIED_HOST)
    )


@pytest.mark.parametrize(
    ("changes", "cut"),
    [
        ({}, Cut.NONE),
        ({"truncated": True}, Cut.LENGTH),
        ({"is_stream": True}, Cut.UNSPECIFIED),
        ({"fault": TransportFault.TIMEOUT}, Cut.TIME),
        ({"fault": TransportFault.RESET}, Cut.DISCONNECT),
        ({"fault": TransportFault.TLS}, Cut.DISCONNECT),
        ({"fault": TransportFault.PROTOCOL}, Cut.UNSPECIFIED),
        ({"fault": TransportFault.DECODING, "raw_body": b"coded"}, Cut.UNSPECIFIED),
        ({"fault": TransportFault.DECODING, "raw_body": b"coded", "body": b""}, Cut.UNSPECIFIED),
        ({"fault": TransportFault.DECODING}, Cut.NONE),  # an unknown coding: the content is the body
    ],
)
def test_why_the_end_of_the_content_is_missing(changes: dict[str, object], cut: Cut) -> None:
    exchange = structs.replace(answer(200), **({"raw_body": b"half", "body": b"half"} | changes))
    assert exchange.content_cut is cut
    assert exchange.is_partial == (cut not in (Cut.NONE, Cut.LENGTH))
    assert (classify(exchange).state, classify(exchange).retry) == (UrlState.FETCHED, False)


@pytest.mark.parametrize(
    ("range_", "cut"),
    [("bytes 0-9/99", Cut.UNSPECIFIED), ("", Cut.UNSPECIFIED), ("bytes 0-98/99", Cut.NONE), ("x", Cut.UNSPECIFIED)],
)
def test_a_range_is_a_part_of_the_content_unless_it_is_all_of_it(range_: str, cut: Cut) -> None:
    exchange = structs.replace(answer(206, Content_Range=range_), raw_body=b"half", body=b"half")
    assert (exchange.cut, exchange.content_cut) == (Cut.NONE, cut)
    assert structs.replace(exchange, truncated=True).content_cut is Cut.LENGTH


def test_a_page_of_which_nothing_arrived_is_tried_again_and_a_file_is_not() -> None:
    lost = structs.replace(answer(200, Content_Type="text/html"), fault=TransportFault.RESET)
    assert (classify(lost).state, classify(lost).retry) == (UrlState.FETCHED, True)
    assert classify(structs.replace(lost, headers=())).retry
    assert not classify(structs.replace(lost, headers=(("Content-Type", "audio/mpeg"),))).retry


def test_a_stream_says_that_it_is_one() -> None:
    assert classify(structs.replace(answer(200), is_stream=True)).detail == "a stream, whose body was not read"


@pytest.mark.parametrize(
    ("content_type", "without_length", "always"),
    [
        ("audio/mpeg", True, False),
        ("Video/MP4; codecs=x", True, False),
        ("text/event-stream", True, True),
        ("multipart/x-mixed-replace; boundary=f", True, True),
        ("application/octet-stream", False, False),
        ("text/html", False, False),
        ("", False, False),
    ],
)
def test_the_types_of_streams(content_type: str, *, without_length: bool, always: bool) -> None:
    assert (may_be_endless(content_type), is_endless(content_type)) == (without_length, always)


def test_an_exchange_without_any_ending_is_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"example\.com"):
        classify(Exchange(url="https://example.com/"))


@pytest.mark.parametrize("status", [403, 404, 429, 500, 502, 503])
def test_every_error_can_ask_for_a_pause(status: int) -> None:
    assert classify(answer(status, Retry_After="7")).wait == 7
    assert classify(answer(status)).wait == 0


def test_a_page_asks_for_no_pause() -> None:
    assert classify(answer(200, Retry_After="7")).wait == 0
    assert classify(answer(301, Retry_After="7", Location="/x")).wait == 0


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("120", "", 120),
        (" 5 ", "", 5),
        ("-5", "", 0),
        ("soon", "", 0),
        ("", "", 0),
        ("9" * 30, "", 999_999_999),
        ("Sat, 21 Nov 2026 06:00:10 GMT", "Sat, 21 Nov 2026 06:00:00 GMT", 10),
        ("Sat, 21 Nov 2026 06:00:10 -0000", "Sat, 21 Nov 2026 06:00:00 GMT", 10),
        ("Sat, 21 Nov 2026 05:59:00 GMT", "Sat, 21 Nov 2026 06:00:00 GMT", 0),
        ("Thu, 01 Jan 1970 00:17:10 GMT", "", 30),
        ("Sat, 99 Nov 2026 06:00:10 GMT", "", 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, date: str, seconds: float) -> None:
    headers = {"Retry_After": value} | ({"Date": date} if date else {})
    assert retry_after(answer(503, **headers)) == seconds


@given(st.integers(1, 2000), st.floats(0, 1))
def test_back_off_stays_between_nothing_and_its_cap(tries: int, chance: float) -> None:
    assert 0 <= back_off(tries=tries, base=1.0, cap=60.0, chance=chance) <= 60


def test_back_off_doubles_with_full_jitter() -> None:
    assert [back_off(tries=n, base=1.0, cap=5.0, chance=1.0) for n in (1, 2, 3, 4)] == [1, 2, 4, 5]
    assert back_off(tries=3, base=1.0, cap=60.0, chance=0.25) == 1


def test_chance_depends_on_url_and_try_and_spreads() -> None:
    chances = [chance_of(f"{n * 7919:032x}"[::-1], 1) for n in range(1000)]
    assert chance_of("ab" * 16, 1) == chance_of("ab" * 16, 1) != chance_of("ab" * 16, 2)
    assert all(0 <= chance < 1 for chance in chances)
    assert 0.4 < sum(chances) / 1000 < 0.6


def test_a_media_type_has_no_parameters() -> None:
    assert media_type(" Text/HTML ; charset=utf-8") == "text/html"


def test_headers_are_found_by_any_case() -> None:
    assert answer(200, ETag="x").header("etag") == "x"
    assert answer(200).header("etag") is None
    assert answer(200).method == "GET"
    assert Reason.NONE.value == ""
