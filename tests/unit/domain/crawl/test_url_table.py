"""The packed columns of the planner's URLs."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack
from tests.support.short_keys import key_of

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl, Row, UrlColumns
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.packed_texts import PackedTexts
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.url_keys import UrlKeys
from wavecrawl.domain.fetching.cookies import Cookie
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, packed_score

KEYS = st.lists(st.binary(min_size=16, max_size=16).map(bytes.hex), unique=True, max_size=50)


@given(added=KEYS, others=KEYS)
def test_a_key_is_found_at_the_position_where_it_was_added(added: list[str], others: list[str]) -> None:
    keys = UrlKeys()
    for key in added:
        keys.append(key)
    assert (len(keys), [keys[position] for position in range(len(keys))]) == (len(added), added)
    expected = {key: position for position, key in enumerate(added)}
    assert [keys.find(key) for key in (*added, *others)] == [expected.get(key) for key in (*added, *others)]


def test_many_keys_are_found_however_they_were_added() -> None:
    added = [key_of(str(number)) for number in range(5_000)]
    one_by_one, in_parts = UrlKeys(), UrlKeys()
    for key in added:
        one_by_one.append(key)
    for first, last in ((0, 3), (3, 700), (700, 700), (700, 5_000)):
        in_parts.extend(one_by_one.part(first, last))
    for keys in (one_by_one, in_parts):
        assert [keys.find(key) for key in added] == list(range(5_000))
        assert keys.find(key_of("5000")) is None


@given(st.lists(st.text()), st.integers(0, 20), st.integers(0, 20))
def test_texts_are_the_same_after_they_were_packed(texts: list[str], first: int, last: int) -> None:
    packed, copy = PackedTexts(), PackedTexts()
    for text in texts:
        packed.append(text)
    assert [packed[position] for position in range(len(packed))] == texts
    first, last = min(first, len(texts)), min(max(first, last), len(texts))
    copy.append("before")
    copy.extend(*packed.part(first, last))
    assert [copy[position] for position in range(len(copy))] == ["before", *texts[first:last]]


def test_a_frontier_is_rebuilt_from_its_columns() -> None:
    frontier = Frontier()
    for number in range(10):
        frontier.add(
            FoundUrl(
                url=f"https://example.com/{number}",
                key=key_of(str(number)),
                depth=number,
                parent=number - 1 if number else NO_PARENT,
                found_by=FoundBy.REDIRECT,
                phase=Phase.ORPHAN,
                wave=number + 1,
                chain=number,
                skip=Reason.ASSET if number == 8 else Reason.NONE,
                score=packed_score(Lane.P2, 100 * number, Parts(anchor_signal=number)),
            )
        )
    for index in range(5):
        frontier.plan(index, wave=7, batch=index)
    frontier.settle(1, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=2)
    frontier.defer(2, reason=Reason.RESET, detail="broken", tries=1, due=4.0, not_before=40.0)
    frontier.hold(3, reason=Reason.ROBOTS_UNREACHABLE, detail="HTTP 503")
    assert frontier.count_loss(4) == 1
    frontier.limit_waiting(5)
    rebuilt = Frontier()
    for first, last in ((0, 3), (3, 10)):
        rebuilt.extend(frontier.columns(first, last))
    rebuilt.restore_queues()
    assert rebuilt.changes() == []
    assert list(rebuilt.ledger({})) == list(frontier.ledger({}))
    for one in (frontier, rebuilt):
        assert (one.waiting, one.evicted(), one.held(), one.next_due(), one.not_before(2)) == (5, 1, [3], 4.0, 40.0)
        assert (one.batch(4), one.chain(9), one.planned(4)) == ((7, 4), 9, True)
        assert one.count_loss(4) == 2
    assert [rebuilt.pop("example.com") for _ in range(4)] == [frontier.pop("example.com") for _ in range(4)]
    assert rebuilt.find(key_of("9")) == 9
    assert rebuilt.score(9) == packed_score(Lane.P2, 900, Parts(anchor_signal=9))


COOKIES = (Cookie(name="a", value="1", host="example.com", path="/"),)


def test_cookies_of_waiting_urls_are_in_both_forms_of_a_snapshot() -> None:
    frontier = Frontier()
    for name in ("new", "back"):
        frontier.add(
            FoundUrl(
                url=f"https://example.com/{name}",
                key=key_of(name),
                depth=0,
                parent=NO_PARENT,
                found_by=FoundBy.REDIRECT,
                phase=Phase.BFS,
                wave=1,
            )
        )
    frontier.settle(1, UrlState.REDIRECTED, reason=Reason.STATUS, detail="", tries=1)
    assert not frontier.lead_to(0, COOKIES, chain=1)
    assert frontier.lead_to(1, COOKIES, chain=2)
    columns, rows = Frontier(), Frontier()
    columns.extend(msgpack.decode(msgpack.encode(frontier.columns(0, 2)), type=UrlColumns))
    rows.apply(msgpack.decode(msgpack.encode(frontier.changes()), type=list[Row]))
    for copy in (columns, rows):
        copy.restore_queues()
        assert [copy.cookies(0), copy.cookies(1)] == [COOKIES, COOKIES]
        assert [copy.has_returned(0), copy.has_returned(1)] == [False, True]
        assert [copy.pop("example.com"), copy.pop("example.com")] == [0, 1]
        copy.settle(1, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=2)
        assert (copy.cookies(1), copy.has_returned(1)) == ((), True)


def test_equal_details_are_stored_once_after_a_restart() -> None:
    """Evidence against traps is a long text, and the same for all URLs of a trap."""
    frontier = Frontier()
    for number in range(2):
        evidence = "12 pages in a row had no new words or links"
        frontier.add(
            FoundUrl(
                url=f"https://example.com/?sort={number}",
                key=key_of(str(number)),
                depth=1,
                parent=NO_PARENT,
                found_by=FoundBy.LINK,
                phase=Phase.BFS,
                wave=1,
                skip=Reason.TRAP_PARAMETERS,
                detail=evidence,
            )
        )
    from_rows, from_columns = Frontier(), Frontier()
    from_columns.extend(msgpack.decode(msgpack.encode(frontier.columns(0, 2)), type=UrlColumns))
    from_rows.apply(msgpack.decode(msgpack.encode(frontier.changes()), type=list[Row]))
    for copy in (from_rows, from_columns):
        one, other = (row.detail for row in copy.ledger({}))
        assert one == "12 pages in a row had no new words or links"
        assert one is other
