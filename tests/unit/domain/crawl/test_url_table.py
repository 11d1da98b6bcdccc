"""The packed columns of the planner's URLs."""

from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec import msgpack
from tests.support.short_keys import key_of

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, ROWS_AT_ONCE, Changes, FoundUrl, Row, UrlColumns
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
    assert list(rebuilt.changes()) == []
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
    rows.apply(msgpack.decode(msgpack.encode(list(frontier.changes())), type=list[Row]))
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
    from_rows.apply(msgpack.decode(msgpack.encode(list(frontier.changes())), type=list[Row]))
    for copy in (from_rows, from_columns):
        one, other = (row.detail for row in copy.ledger({}))
        assert one == "12 pages in a row had no new words or links"
        assert one is other


def added(name: str, skip: Reason, wave: int = 1) -> FoundUrl:
    return FoundUrl(
        url=f"https://example.com/{name}",
        key=key_of(name),
        depth=1,
        parent=0,
        found_by=FoundBy.LINK,
        phase=Phase.BFS,
        wave=wave,
        skip=skip,
    )


FINAL = ("OUT_OF_SCOPE", "EXCLUDED", "NOT_INCLUDED", "TOO_LONG", "INVALID_URL", "ROBOTS_RULE", "NOT_DUE", "QUARANTINED")
"""Reasons that nothing changes in the course of a crawl."""


def urls_after_a_wave(frontier: Frontier, names: Iterable[str]) -> list[str]:
    """Return the URLs of these names that the table still has when its changes were stored twice."""
    for _ in range(2):
        list(frontier.changes())
    indices = [frontier.find(key_of(name)) for name in names]
    return [frontier.url(index).rpartition("/")[2] for index in indices if index is not None]


def test_the_text_of_a_url_that_is_never_requested_is_stored_and_then_forgotten() -> None:
    frontier = Frontier()
    frontier.add(added("root", Reason.NONE))
    for name in FINAL:
        frontier.add(added(name, Reason[name]))
    changes = frontier.changes()
    rows = list(changes)
    assert [row.url.rpartition("/")[2] for row in rows] == ["root", *FINAL]
    assert [row in changes for row in rows] == [True] * 9
    assert frontier.url(1) == "https://example.com/OUT_OF_SCOPE", "the wave that found it may need it"
    before = len(frontier.columns(0, 9).urls)
    assert urls_after_a_wave(frontier, ["root", *FINAL]) == ["root", *[""] * len(FINAL)]
    assert before == len("https://example.com/root")
    restored = Frontier()
    restored.apply(rows)
    assert [restored.url(index) for index in range(9)] == ["https://example.com/root", *[""] * 8]
    assert [row.key for row in restored.ledger({})] == [row.key for row in rows]
    frontier.add(added("OUT_OF_SCOPE", Reason.NONE, wave=2))
    assert frontier.state(1) is UrlState.SKIPPED, "no further link adds it"


def test_the_text_of_any_other_url_is_kept() -> None:
    """Further links, sitemaps or evidence can add it to the crawl."""
    reasons = [reason for reason in Reason if reason and reason.name not in FINAL]
    assert len(reasons) > 50
    frontier = Frontier()
    frontier.add(added("root", Reason.NONE))
    for number, reason in enumerate(reasons):
        frontier.add(added(f"{number}", reason))
    names = [f"{number}" for number in range(len(reasons))]
    assert urls_after_a_wave(frontier, names) == names


def test_the_first_url_is_kept_whatever_its_state() -> None:
    frontier = Frontier()
    frontier.add(added("root", Reason.ROBOTS_RULE))
    assert urls_after_a_wave(frontier, ["root"]) == ["root"]


def test_urls_out_of_scope_are_kept_if_they_are_checked() -> None:
    frontier = Frontier(keeps_outside=True)
    for name, skip in (("root", Reason.NONE), ("other", Reason.OUT_OF_SCOPE), ("denied", Reason.ROBOTS_RULE)):
        frontier.add(added(name, skip))
    assert urls_after_a_wave(frontier, ["root", "other", "denied"]) == ["root", "other", ""]


def test_a_url_that_joins_after_all_has_its_text_in_both_forms_of_a_snapshot() -> None:
    """A worker may have requested it, as the other spelling of a page that redirects to it."""
    frontier = Frontier()
    for name, skip in (("root", Reason.NONE), ("denied", Reason.ROBOTS_RULE)):
        frontier.add(added(name, skip))
    first = list(frontier.changes())
    frontier.plan(0, wave=2, batch=0)
    frontier.plan_beside(0, key_of("denied"))
    second = list(frontier.changes())
    assert [row.url for row in second] == [row.url for row in first]
    frontier.settle(1, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    third = list(frontier.changes())
    assert [row.url for row in third] == ["https://example.com/denied"]
    rows, columns = Frontier(), Frontier()
    for part in (first, second, third):
        rows.apply(part)
    columns.extend(msgpack.decode(msgpack.encode(frontier.columns(0, 2)), type=UrlColumns))
    for copy in (frontier, rows, columns):
        assert [row.url for row in copy.ledger({})] == [row.url for row in first]


def test_the_size_of_a_table_depends_on_its_urls_alone() -> None:
    frontier = Frontier()
    for number in range(3_000):
        frontier.add(added(f"{number}", Reason.OUT_OF_SCOPE if number % 2 else Reason.NONE))
    rows = list(frontier.changes())
    by_rows, by_columns = Frontier(), Frontier()
    by_rows.apply(rows)
    by_columns.extend(frontier.columns(0, 2_000))
    by_columns.extend(frontier.columns(2_000, 3_000))
    for copy in (by_rows, by_columns):
        copy.restore_queues()
    assert [by_rows.size, by_columns.size] == [frontier.size, frontier.size]
    texts = sum(len(f"https://example.com/{number}") for number in range(0, 3_000, 2))
    slots, waiting = 4 * 8_192, 40 * 1_500
    assert frontier.size == texts + 8 * 3_000 + 16 * 3_001 + slots + 38 * 3_000 + waiting


def test_changes_are_made_when_they_are_read() -> None:
    asked: list[list[int]] = []

    def rows_of(indices: Sequence[int]) -> list[Row]:
        asked.append(list(indices))
        return []

    changes = Changes(rows_of, [1, 5], range(7, 7 + ROWS_AT_ONCE + 1))
    assert (len(changes), asked) == (2 + ROWS_AT_ONCE + 1, [])
    assert list(changes) == []
    assert [len(one) for one in asked] == [2, ROWS_AT_ONCE, 1]
