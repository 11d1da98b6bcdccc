"""Duplicates, compared with a search over all pairs of pages."""

from dataclasses import dataclass
from random import Random

import duckdb
import pytest
from msgspec import structs

from wavecrawl.adapters.analytics import duplicates
from wavecrawl.adapters.analytics.duplicates import build_duplicates
from wavecrawl.domain.pages.duplicates import DuplicateSettings

SAME, REVIEW = 5, 6  # bits: the most in which duplicates, and pages to review, differ
EXACT = DuplicateSettings(same=0.92, review=0.9, min_words=50)  # all pairs of these are found
PRINTS = 400


@dataclass(frozen=True, kw_only=True)
class Text:
    """A page as table `pages` has it; its position in a list is the order of discovery."""

    print: int = 0
    hash: str = ""
    words: int = 50
    text: str | None = "the same words in each text"
    markdown: str | None = None  # in its place, as earlier versions stored it
    depth: int = 1
    canonical: str = ""
    robots: tuple[str, ...] = ()


def duplicates_of(texts: list[Text], settings: DuplicateSettings = EXACT) -> dict[int, tuple[int, float, str]]:
    """Return each duplicate's kept page, similarity and kind."""
    ids = list(range(len(texts)))
    with duckdb.connect() as db:
        db.execute("CREATE TABLE nodes (id BIGINT, depth INTEGER, final BIGINT)")
        db.execute("INSERT INTO nodes SELECT unnest($1), unnest($2), unnest($1)", [ids, [text.depth for text in texts]])
        db.execute(
            """
            CREATE TABLE pages AS
            SELECT unnest(?) AS id, unnest(?) AS url, url AS key, 'fetched' AS state, true AS is_html,
                unnest(?) AS text_hash, unnest(?)::UBIGINT AS simhash, unnest(?) AS word_count, '' AS header_canonical,
                unnest(?) AS canonical, []::VARCHAR[] AS header_robots, unnest(?::VARCHAR[][]) AS robots
            """,
            [
                ids,
                [f"u{id_}" for id_ in ids],
                [text.hash or f"text {id_}" for id_, text in enumerate(texts)],
                [text.print for text in texts],
                [text.words for text in texts],
                [text.canonical for text in texts],
                [list(text.robots) for text in texts],
            ],
        )
        db.execute(
            """
            CREATE TABLE part_texts AS SELECT key, 0 AS piece, text, markdown, 0::UBIGINT AS file_index
            FROM (SELECT unnest(?) AS key, unnest(?) AS text, unnest(?) AS markdown)
            WHERE text IS NOT NULL OR markdown IS NOT NULL
            """,
            [[f"u{id_}" for id_ in ids], [text.text for text in texts], [text.markdown for text in texts]],
        )
        db.execute("CREATE TABLE urls AS SELECT id, url, url AS key FROM pages")
        db.execute("CREATE TABLE versions (id BIGINT, version BIGINT)")
        db.execute("CREATE TABLE noindexed AS SELECT id FROM pages WHERE list_contains(robots, 'noindex')")
        db.execute(
            """
            CREATE TABLE canonicals AS
            SELECT p.id, u.id AS target, p.canonical <> p.url AS elsewhere
            FROM pages p LEFT JOIN urls u ON u.url = p.canonical WHERE p.canonical <> ''
            """
        )
        build_duplicates(db, settings)
        rows = db.execute("SELECT id, first, similarity, kind FROM duplicates").fetchall()
    found = {id_: (first, similarity, kind) for id_, first, similarity, kind in rows}
    assert len(found) == len(rows)
    return found


def prints(random: Random, *, centers: int, most_bits: int) -> list[int]:
    """Return fingerprints around a few centers, crowded so that most share their buckets."""
    around = [random.getrandbits(64) for _ in range(centers)]
    return [
        random.choice(around) ^ sum(1 << bit for bit in random.sample(range(64), random.randint(0, most_bits)))
        for _ in range(PRINTS)
    ]


def by_hand(found: list[int]) -> dict[int, tuple[int, float, str]]:
    """Compare each page with all pages that are kept so far."""
    kept: list[int] = []
    expected = {}
    for page, print_ in enumerate(found):
        bits, first = min((((print_ ^ found[one]).bit_count(), one) for one in kept), default=(64, -1))
        if bits <= REVIEW:
            expected[page] = first, 1 - bits / 64, "near" if bits <= SAME else "review"
        if bits > SAME:
            kept.append(page)
    return expected


@pytest.mark.parametrize("most_bits", [1, 3, 6, 10, 64])
@pytest.mark.parametrize("centers", [1, 7])
def test_pages_are_compared_with_all_pages_that_are_kept(centers: int, most_bits: int) -> None:
    found = list(dict.fromkeys(prints(Random(f"{centers} {most_bits}"), centers=centers, most_bits=most_bits)))
    expected = by_hand(found)
    assert duplicates_of([Text(print=one) for one in found]) == expected
    assert most_bits == 64 or expected


def test_a_chain_of_similar_pages_has_no_duplicate_below_the_threshold() -> None:
    chain = [(1 << bits) - 1 for bits in range(0, 16, 5)]  # each page differs from the next one in 5 bits
    found = duplicates_of([Text(print=one) for one in chain])
    assert found == {1: (0, 1 - 5 / 64, "near"), 3: (2, 1 - 5 / 64, "near")}


def test_pages_between_the_thresholds_are_flagged_for_review() -> None:
    settings = DuplicateSettings(same=0.92, review=0.85)
    found = duplicates_of([Text(print=0), Text(print=0x1FF), Text(print=0x3FF << 20)], settings)
    assert found == {1: (0, 1 - 9 / 64, "review")}  # 10 bits are too many


def test_without_a_gap_between_the_thresholds_no_page_is_flagged() -> None:
    settings = DuplicateSettings(same=0.92, review=0.92)
    assert duplicates_of([Text(print=0), Text(print=0b111111)], settings) == {}


def test_short_texts_are_duplicates_only_if_they_are_the_same() -> None:
    short = [Text(print=1, hash="a", words=49), Text(print=1, hash="a", words=49), Text(print=1, hash="b", words=49)]
    assert duplicates_of(short) == {1: (0, 1.0, "exact")}


def test_a_copy_of_a_near_duplicate_names_the_page_that_is_kept() -> None:
    texts = [Text(print=0), Text(print=3, hash="same"), Text(print=3, hash="same"), Text(print=3, hash="other")]
    assert duplicates_of(texts) == dict.fromkeys((1, 2, 3), (0, 1 - 2 / 64, "near"))


def test_texts_with_one_fingerprint_are_near_duplicates() -> None:
    texts = [Text(print=7, hash="a"), Text(print=7, hash="b"), Text(print=7, hash="b"), Text(print=7, hash="a")]
    assert duplicates_of(texts) == {1: (0, 1.0, "near"), 2: (0, 1.0, "near"), 3: (0, 1.0, "exact")}


def test_a_copy_of_a_page_to_review_is_its_duplicate() -> None:
    texts = [Text(print=0), Text(print=0b111111, hash="a"), Text(print=0b111111, hash="a")]
    assert duplicates_of(texts) == {1: (0, 1 - 6 / 64, "review"), 2: (1, 1.0, "exact")}


FMOD = "Computes the remainder of the division, with the sign of the first argument"
REMAINDER = "Computes the remainder of the division, rounded to the nearest integer value"


def test_pages_of_a_large_crowd_with_different_words_are_compared_with_its_first_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(duplicates, "_CROWD", 2)
    names = ("one two three", "four five six", "seven eight nine", "one two three", "seven eight nine", "ten eleven it")
    found = duplicates_of([Text(print=at, text=name) for at, name in enumerate(names)])
    assert {page: (first, kind) for page, (first, _, kind) in found.items() if kind == "near"} == {3: (0, "near")}
    assert {page for page, (_, _, kind) in found.items() if kind == "review"} == {1, 2, 4, 5}
    copies = [Text(print=at, text=name, hash=name) for at, name in enumerate(names)]
    assert {page for page, (_, _, kind) in duplicates_of(copies).items() if kind != "review"} == {3, 4}


def test_pages_with_other_words_are_kept_and_flagged() -> None:
    texts = [Text(print=0, text=FMOD), Text(print=1, text=REMAINDER), Text(print=3, text=f"{REMAINDER} ")]
    assert duplicates_of(texts) == {1: (0, 1 - 1 / 64, "review"), 2: (1, 1 - 1 / 64, "near")}


def test_equal_fingerprints_do_not_make_duplicates_of_other_words() -> None:
    texts = [Text(print=7, text=FMOD, hash="a"), Text(print=7, text=REMAINDER), Text(print=7, text=FMOD, hash="a")]
    assert duplicates_of(texts) == {1: (0, 1.0, "review"), 2: (0, 1.0, "exact")}


def test_the_nearest_text_with_the_same_words_is_named() -> None:
    texts = [Text(print=0b111, text=FMOD), Text(print=0b1, text=REMAINDER), Text(print=0, text=FMOD)]
    assert duplicates_of(texts) == {1: (0, 1 - 2 / 64, "review"), 2: (0, 1 - 3 / 64, "near")}


def test_a_text_is_compared_with_one_that_only_its_words_keep() -> None:
    texts = [Text(print=0, text=FMOD), Text(print=0b11111, text=REMAINDER), Text(print=0b1111111111, text=REMAINDER)]
    assert duplicates_of(texts) == {1: (0, 1 - 5 / 64, "review"), 2: (1, 1 - 5 / 64, "near")}


@pytest.mark.parametrize(("shared", "kind"), [(0.0, "near"), (0.23, "near"), (0.24, "review")])
def test_the_setting_says_how_many_words_are_shared(shared: float, kind: str) -> None:
    """4 of 17 sequences of three words are common."""
    settings = structs.replace(EXACT, shared_words=shared)
    assert duplicates_of([Text(text=FMOD), Text(print=1, text=REMAINDER)], settings) == {1: (0, 1 - 1 / 64, kind)}


def test_texts_that_are_not_stored_are_no_duplicates() -> None:
    texts = [Text(text=None), Text(print=1, text=None), Text(print=2)]
    assert duplicates_of(texts) == {1: (0, 1 - 1 / 64, "review"), 2: (0, 1 - 1 / 64, "review")}


def test_texts_of_earlier_versions_are_compared() -> None:
    markdown = FMOD.replace("sign", "*sign*")
    texts = [Text(text=FMOD), Text(print=1, text=None, markdown=markdown), Text(print=3, text=REMAINDER)]
    assert duplicates_of(texts) == {1: (0, 1 - 1 / 64, "near"), 2: (0, 1 - 2 / 64, "review")}


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ([Text(), Text(canonical="u2"), Text(depth=9)], 2),  # the page that another one names
        ([Text(), Text(canonical="u0")], 0),
        ([Text(robots=("noindex",)), Text(depth=9)], 1),  # an indexable page
        ([Text(canonical="elsewhere"), Text(depth=9)], 1),
        ([Text(depth=2), Text(depth=1)], 1),  # the page nearest to the root
        ([Text(), Text()], 0),  # the page found first
    ],
)
@pytest.mark.parametrize("hash_", ["same", ""])
def test_which_page_is_kept(texts: list[Text], kept: int, hash_: str) -> None:
    same = [Text(hash=hash_, depth=text.depth, canonical=text.canonical, robots=text.robots) for text in texts]
    kind = "exact" if hash_ else "near"
    assert duplicates_of(same) == {page: (kept, 1.0, kind) for page in range(len(texts)) if page != kept}
