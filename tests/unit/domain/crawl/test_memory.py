from dataclasses import replace

from msgspec import structs

from wavecrawl.domain.crawl.gather import FactsView, RecordView
from wavecrawl.domain.crawl.job import Validators
from wavecrawl.domain.crawl.memory import LONGEST_VALIDATOR, PageMemory, remembered
from wavecrawl.domain.crawl.states import UrlState

FETCHED = RecordView(
    key="k", url="https://example.com/", state=UrlState.FETCHED, etag='"1"', last_modified="yesterday", fetched_at=50.0,
    facts=FactsView(title="T", text_hash="h1", simhash=7),
)  # fmt: skip
KNOWN = PageMemory(
    key="k", url="https://example.com/", state=UrlState.FETCHED, etag='"1"', last_modified="yesterday", text_hash="h1",
    simhash=7, title="T", depth=1, first_seen=50.0, last_seen=50.0, last_changed=50.0, record="place",
)  # fmt: skip


def test_a_new_page_is_remembered_with_its_validators() -> None:
    assert remembered(None, FETCHED, depth=1, place="place") == KNOWN


def test_the_same_text_again_keeps_the_day_it_changed() -> None:
    again = remembered(KNOWN, structs.replace(FETCHED, fetched_at=90.0), depth=2, place="other")
    assert again == replace(KNOWN, last_seen=90.0, depth=2, record="other")


def test_another_text_changes_the_day() -> None:
    changed = structs.replace(FETCHED, fetched_at=90.0, facts=FactsView(text_hash="h2"))
    again = remembered(KNOWN, changed, depth=1, place="place")
    assert again is not None
    assert (again.first_seen, again.last_changed, again.text_hash) == (50.0, 90.0, "h2")


def test_an_unchanged_page_is_not_written() -> None:
    assert remembered(KNOWN, structs.replace(FETCHED, state=UrlState.UNCHANGED), depth=1, place="") is None


def test_an_unchanged_page_that_was_gone_is_back() -> None:
    gone = replace(KNOWN, state=UrlState.NOT_FOUND)
    back = remembered(gone, structs.replace(FETCHED, state=UrlState.UNCHANGED, fetched_at=90.0), depth=1, place="")
    assert back == replace(KNOWN, last_seen=90.0)


def test_an_error_keeps_the_last_good_text() -> None:
    lost = structs.replace(FETCHED, state=UrlState.NOT_FOUND, fetched_at=90.0, facts=None)
    memory = remembered(KNOWN, lost, depth=1, place="x")
    assert memory == replace(KNOWN, state=UrlState.NOT_FOUND, last_seen=90.0)
    assert memory is not None
    assert remembered(memory, lost, depth=1, place="x") is None


def test_an_error_of_an_unknown_page_is_remembered() -> None:
    lost = structs.replace(FETCHED, state=UrlState.FAILED, facts=None)
    memory = remembered(None, lost, depth=3, place="x")
    assert memory == PageMemory(
        key="k", url="https://example.com/", state=UrlState.FAILED, depth=3, first_seen=50.0, last_seen=50.0
    )


def test_a_page_without_text_is_remembered_too() -> None:
    memory = remembered(None, structs.replace(FETCHED, facts=None), depth=0, place="p")
    assert memory is not None
    assert (memory.text_hash, memory.record) == ("", "p")


def test_a_page_with_a_record_and_a_validator_can_be_requested_conditionally() -> None:
    assert KNOWN.validators == Validators(etag='"1"', last_modified="yesterday", record="place")
    assert replace(KNOWN, etag="").validators == Validators(last_modified="yesterday", record="place")
    assert replace(KNOWN, record="").validators is None
    assert replace(KNOWN, etag="", last_modified="").validators is None


def test_a_validator_that_is_too_long_for_a_message_is_not_used() -> None:
    long = "e" * (LONGEST_VALIDATOR + 1)
    assert replace(KNOWN, etag=long).validators == Validators(last_modified="yesterday", record="place")
    assert replace(KNOWN, last_modified=long).validators == Validators(etag='"1"', record="place")
    assert replace(KNOWN, etag=long, last_modified=long).validators is None
