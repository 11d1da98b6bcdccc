"""Duplicates: pages with the same text as a page that is kept, or a similar one by SimHash that has the same words.

A page is compared with pages that are kept, never with duplicates. So there are no chains: a duplicate is as similar to
the page it names as its `similarity` says.
"""

from array import array
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from itertools import groupby, islice, starmap
from typing import Final

import duckdb

from wavecrawl.adapters.analytics.database import cursor_of, streamed
from wavecrawl.domain.pages.duplicates import DuplicateKind, DuplicateSettings
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.domain.pages.shingles import shared_shingles, shingles_of
from wavecrawl.domain.pages.simhash import BITS, bits_above
from wavecrawl.domain.pages.similar_texts import SimilarTexts

DUPLICATES = "id BIGINT, first BIGINT, similarity DOUBLE, kind VARCHAR, same_text BOOLEAN"
"""The columns of table `duplicates`. `same_text`: whether the text is that of a page to be kept rather."""

_ROWS = 10_000  # per statement
_COMPARED: Final = 8  # kept texts with which the words of a text are compared: those with the nearest fingerprints
_CROWD: Final = 1_000
"""Maximum number of kept texts with nearly the same fingerprint and different words that later texts are compared with.

So the time for many pages of one template stays linear. Copies with exactly the same text are always found.
"""

_NONE: Final = array("I")

_Match = tuple[int, int, int, bool]  # a row of table `matches`


def build_duplicates(db: duckdb.DuckDBPyConnection, settings: DuplicateSettings) -> None:
    """Create table `duplicates`; `first` is the page that is kept.

    Of several pages, the one is kept that another page names as its canonical page, else an indexable one, then the
    one nearest to the root, then the one discovered first. Declared language versions are no duplicates of each other.
    """
    db.execute(f"CREATE TABLE duplicates ({DUPLICATES})")
    _build_texts(db)
    _store_matches(db, settings)
    db.execute(
        f"""
        INSERT INTO duplicates
        WITH found AS (
            SELECT t.id, t.same_text, m.bits, m.is_same,
                   CASE WHEN m.is_same THEN m.first WHEN t.same_text THEN t.text ELSE m.first END AS first,
                   CASE WHEN m.is_same THEN '{DuplicateKind.NEAR}' WHEN t.same_text THEN '{DuplicateKind.EXACT}'
                        ELSE '{DuplicateKind.REVIEW}' END AS kind
            FROM texts t LEFT JOIN matches m ON m.place = t.text
        )
        SELECT f.id, k.id, if(f.kind = '{DuplicateKind.EXACT}', 1, 1 - f.bits / {BITS}), f.kind, f.same_text
        FROM found f JOIN texts k ON k.place = f.first
        """
    )
    db.execute(
        """
        DELETE FROM duplicates d
        WHERE EXISTS (SELECT 1 FROM versions a JOIN versions b USING (version) WHERE a.id = d.id AND b.id = d.first)
        """
    )
    for table in ("texts", "matches", "shingles"):
        db.execute(f"DROP TABLE {table}")


def _build_texts(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `texts`: the pages in the order in which they are kept; `text` is the first place of the text."""
    db.execute(
        """
        CREATE TABLE texts AS
        WITH read AS (
            SELECT r.id, r.text_hash, r.simhash, r.word_count AS words, n.depth, c.target,
                   coalesce(c.elsewhere, FALSE) AS elsewhere, r.id IN (SELECT id FROM noindexed) AS noindex
            FROM pages r JOIN nodes n USING (id) LEFT JOIN canonicals c USING (id)
            WHERE r.state IN ('fetched', 'unchanged') AND r.is_html AND r.text_hash <> '' AND r.id = n.final
        ), named AS (SELECT DISTINCT target AS id FROM read WHERE elsewhere),
        placed AS (
            SELECT read.*, row_number() OVER (
                ORDER BY n.id IS NULL, noindex OR elsewhere, depth, read.id
            ) - 1 AS place
            FROM read LEFT JOIN named n ON n.id = read.id
        )
        SELECT id, place, text_hash, simhash, words, min(place) OVER (PARTITION BY text_hash) AS text,
               text < place AS same_text
        FROM placed
        """
    )


def _store_matches(db: duckdb.DuckDBPyConnection, settings: DuplicateSettings) -> None:
    """Create table `matches`: texts that are like a kept one. If `is_same`, they are its duplicates.

    Fingerprints are compared first. Where they are so similar that texts could be duplicates, the words of these texts
    are read, and all texts are compared again.
    """
    db.execute("CREATE TABLE matches (place BIGINT, first BIGINT, bits INTEGER, is_same BOOLEAN)")
    db.execute("CREATE TABLE shingles (place BIGINT, hashes BLOB)")
    texts = f"SELECT place, simhash FROM texts WHERE place = text AND words >= {settings.min_words}"
    kept = _KeptTexts(settings)
    matches = kept.compare_all(db, f"{texts} ORDER BY place")
    if settings.shared_words and any(is_same for *_, is_same in matches):
        _store_shingles(db, kept.alike())
        hashes = f"SELECT place, simhash, coalesce(hashes, ''::BLOB) FROM ({texts}) LEFT JOIN shingles USING (place)"
        matches = _KeptTexts(settings).compare_all(db, f"{hashes} ORDER BY place")
    _insert(db, "matches", matches)


class _KeptTexts:
    """The texts that are kept so far: those that are no duplicate of one before."""

    def __init__(self, settings: DuplicateSettings) -> None:
        self._same = bits_above(settings.same)
        self._review = bits_above(settings.review)
        self._shared = settings.shared_words
        self._similar = SimilarTexts(most_bits=max(self._same, self._review))
        self._places = array("Q")
        self._shingles: dict[int, array[int]] = {}  # by number; of texts that could have duplicates
        self._others: list[tuple[int, int]] = []  # place and fingerprint of each duplicate

    def compare_all(self, db: duckdb.DuckDBPyConnection, texts: str) -> list[_Match]:
        """Keep the texts of a query that are no duplicates; return what texts are like. Columns: as `_compare` has."""
        return list(filter(None, starmap(self._compare, streamed(db, texts))))

    def _compare(self, place: int, print_: int, shingles: bytes | None = None) -> _Match | None:
        """Keep a text if it is no duplicate; return what it is like, if anything.

        `shingles`: the words by which duplicates are confirmed; empty if none are known. None: fingerprints suffice.
        """
        near = self._similar.within(print_, max(self._same, self._review))
        alike = [one for one in near if one[0] <= self._same]
        own = array("I", shingles or b"")
        same = min(alike, default=None) if shingles is None else self._confirmed(alike, own)
        if same is not None:
            self._others.append((place, print_))
            return place, self._places[same[1]], same[0], True
        nearest = min(near, default=None)
        match = None
        if nearest is not None and nearest[0] <= self._review:
            match = place, self._places[nearest[1]], nearest[0], False
        if len(alike) < _CROWD:
            if own:
                self._shingles[len(self._places)] = own
            self._similar.add(print_)
            self._places.append(place)
        return match

    def alike(self) -> list[int]:
        """Return the places of all texts with a fingerprint as near to another one as that of a duplicate.

        If two texts are that near, at least one of them is no kept text.
        """
        found = {place for place, _ in self._others}
        for _, print_ in self._others:
            found.update(self._places[number] for _, number in self._similar.within(print_, self._same))
        return sorted(found)

    def _confirmed(self, alike: Iterable[tuple[int, int]], own: "array[int]") -> tuple[int, int] | None:
        """Return in how many bits the nearest text that shares the words differs, and its number."""
        for bits, number in nsmallest(_COMPARED, alike):
            if self._shares_words(own, number):
                return bits, number
        return None

    def _shares_words(self, own: "array[int]", number: int) -> bool:
        return shared_shingles(own, self._shingles.get(number, _NONE)) >= self._shared


def _store_shingles(db: duckdb.DuckDBPyConnection, places: Iterable[int]) -> None:
    """Fill table `shingles` with those of the texts at some places."""
    db.execute("CREATE TABLE alike (place BIGINT)")
    _insert(db, "alike", ((place,) for place in places))
    db.execute(
        """
        CREATE TABLE alike_texts AS
        SELECT c.place, s.piece, s.text, s.markdown
        FROM (
            SELECT t.place, r.key, min(s.file_index) AS file_index
            FROM alike JOIN texts t USING (place) JOIN pages r USING (id) JOIN part_texts s USING (key) GROUP BY ALL
        ) c JOIN part_texts s USING (key, file_index)
        ORDER BY c.place, s.piece
        """
    )
    rows = cursor_of(db).execute("SELECT * FROM alike_texts ORDER BY place, piece")
    _insert(db, "shingles", _shingled(iter(rows.fetchone, None)))
    for table in ("alike", "alike_texts"):
        db.execute(f"DROP TABLE {table}")


def _shingled(rows: Iterator[tuple[int, int, str | None, str | None]]) -> Iterator[tuple[int, bytes]]:
    for place, pieces in groupby(rows, key=lambda row: row[0]):
        texts, markdown = zip(*((text or "", markdown or "") for _, _, text, markdown in pieces), strict=True)
        yield place, shingles_of("".join(texts) or plain_text("".join(markdown))).tobytes()


def _insert(db: duckdb.DuckDBPyConnection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    left = iter(rows)
    while some := list(islice(left, _ROWS)):
        columns = [list(column) for column in zip(*some, strict=True)]
        db.execute(f"INSERT INTO {table} SELECT {', '.join(['unnest(?)'] * len(columns))}", columns)
