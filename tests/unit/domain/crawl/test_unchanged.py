from msgspec import structs

from wavecrawl.domain.crawl.record import FragmentLink, IdsAdded, Link, PageRecord
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import (
    body_hash,
    link_hash,
    needs_content,
    reference_to,
    with_content,
    without_defaults,
)
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region
from wavecrawl.domain.urls.spellings import other_spelling

A = Link(url="https://example.com/a", key="a", kind=LinkKind.ANCHOR, region=Region.MAIN)
B = structs.replace(A, url="https://example.com/b", key="b")
BEFORE = PageRecord(
    key="k", url="https://example.com/", depth=0, state=UrlState.FETCHED, status=200, content_type="text/html",
    is_html=True, etag='"1"', last_modified="yesterday", facts=PageFacts(title="T", text="Words."), links=(A, B),
    body_hash="h", link_hash="l", fragments=(FragmentLink(link=2, line=1, fragment="part"),),
)  # fmt: skip
NOW = PageRecord(
    key="k", url="https://example.com/", depth=3, state=UrlState.UNCHANGED, status=304, etag='"2"',
    last_modified="yesterday", elapsed=0.123456789, fetched_at=5.0,
)  # fmt: skip


def test_a_reference_has_only_what_differs() -> None:
    small = reference_to(BEFORE, "place#k", NOW)
    assert without_defaults(small) == {
        "key": "k", "url": "https://example.com/", "depth": 3, "state": UrlState.UNCHANGED, "status": 304,
        "etag": '"2"', "elapsed": 0.123457, "fetched_at": 5.0, "body_at": "place#k",
    }  # fmt: skip
    assert needs_content(small) == "place#k"


def test_what_a_browser_found_out_about_ids_stays() -> None:
    before = structs.replace(BEFORE, ids_added=IdsAdded.NONE)
    assert with_content(reference_to(before, "place#k", NOW), before).ids_added is IdsAdded.NONE
    again = structs.replace(NOW, ids_added=IdsAdded.SOME)
    assert with_content(reference_to(before, "place#k", again), before).ids_added is IdsAdded.SOME


def test_a_reference_becomes_the_whole_record() -> None:
    whole = with_content(reference_to(BEFORE, "place#k", NOW), BEFORE)
    assert whole.facts == BEFORE.facts
    assert (whole.links, whole.fragments) == ((A, B), BEFORE.fragments)
    assert (whole.etag, whole.last_modified, whole.depth) == ('"2"', "yesterday", 3)
    assert (whole.body_hash, whole.link_hash, whole.is_html) == ("h", "l", True)
    assert needs_content(whole) == ""


def test_a_page_that_the_server_confirmed_has_the_status_and_the_size_of_its_content() -> None:
    before = structs.replace(BEFORE, status=200, bytes=512, decoded_bytes=2_048)
    whole = with_content(reference_to(before, "place#k", NOW), before)
    assert NOW.status == 304
    assert (whole.status, whole.bytes, whole.decoded_bytes, whole.revalidated) == (200, 512, 2_048, True)
    same_body = structs.replace(NOW, status=200, bytes=511)
    whole = with_content(reference_to(before, "place#k", same_body), before)
    assert (whole.status, whole.bytes, whole.revalidated) == (200, 511, False)


def test_a_rendered_page_that_an_earlier_version_stored_with_304_has_status_200() -> None:
    assert with_content(NOW, structs.replace(BEFORE, status=304)).status == 200


def test_a_view_gets_the_fields_that_it_has() -> None:
    view = RecordView(key="k", url="u", state=UrlState.UNCHANGED, body_at="place#k")
    before = RecordView(key="k", url="u", state=UrlState.FETCHED, header_robots=("nofollow",), tries=9)
    whole = with_content(view, before)
    assert (whole.header_robots, whole.tries, whole.state) == (("nofollow",), 1, UrlState.UNCHANGED)


def test_other_records_need_no_content() -> None:
    assert needs_content(BEFORE) == ""
    assert needs_content(NOW) == ""
    assert needs_content(A) == ""


def test_hashes_tell_content_and_structure_apart() -> None:
    assert body_hash(b"x", "text/html") != body_hash(b"y", "text/html")
    assert body_hash(b"x", "text/html") != body_hash(b"x", "text/html; charset=utf-8")
    assert len(body_hash(b"", "")) == 32
    assert linked(A, B) == linked(B, A) != linked(A)
    assert linked() == ""
    assert linked(structs.replace(A, text="other", url="https://example.com/a?")) == linked(A)


def test_the_spelling_of_a_link_is_no_structure() -> None:
    slashed = structs.replace(A, key=other_spelling(A.key), url="https://example.com/a/")
    assert linked(slashed) == linked(A, slashed) == linked(A)


def test_a_page_that_declares_its_other_spelling_links_to_itself() -> None:
    declared = structs.replace(A, url="https://example.com/a/")
    assert link_hash((declared,), key=A.key, url=A.url) == link_hash((A,), key=A.key, url=A.url)


def linked(*links: Link) -> str:
    return link_hash(links, key="0" * 32, url="https://example.com/")
