"""Duplicates: pages with the same text as a page that is kept, or a similar one by SimHash.

A page is compared with pages that are kept, never with duplicates. So there are no chains: a duplicate is as similar to
the page it names as its `similarity` says.
"""

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.pages.duplicates import DuplicateKind, DuplicateSettings
from wavecrawl.domain.pages.simhash import BITS, bits_above
from wavecrawl.domain.pages.similar_texts import SimilarTexts

DUPLICATES = "id BIGINT, first BIGINT, similarity DOUBLE, kind VARCHAR, same_text BOOLEAN"
"""The columns of table `duplicates`. `same_text`: whether the text is that of a page to be kept rather."""

_ROWS = 100_000  # per statement


def build_duplicates(db: duckdb.DuckDBPyConnection, settings: DuplicateSettings) -> None:
    """Create table `duplicates`; `first` is the page that is kept.

    Of several pages, the one is kept that another page names as its canonical page, else an indexable one, then the
    one nearest to the root, then the one discovered first. Declared language versions are no duplicates of each other.
    """
    db.execute(f"CREATE TABLE duplicates ({DUPLICATES})")
    _build_texts(db)
    same = bits_above(settings.same)
    _store_matches(db, settings, same=same)
    db.execute(
        f"""
        INSERT INTO duplicates
        WITH found AS (
            SELECT t.id, t.place, t.same_text, t.text_hash, m.bits,
                   CASE WHEN m.bits <= $same THEN m.first ELSE coalesce(p.place, t.text) END AS first, m.first AS alike
            FROM texts t LEFT JOIN prints p ON p.simhash = t.simhash AND t.words >= $words
            LEFT JOIN matches m ON m.place = coalesce(p.place, t.text)
        ), judged AS (
            SELECT id, same_text, text_hash, coalesce(bits, 0) AS bits,
                   CASE WHEN first <> place THEN first WHEN bits > $same THEN alike END AS first,
                   first = place AS is_kept
            FROM found
        )
        SELECT j.id, k.id, 1 - if(j.bits <= $same OR j.is_kept, j.bits, 0) / {BITS},
               CASE WHEN j.is_kept THEN '{DuplicateKind.REVIEW}' WHEN j.text_hash = k.text_hash
                    THEN '{DuplicateKind.EXACT}' ELSE '{DuplicateKind.NEAR}' END,
               j.same_text
        FROM judged j JOIN texts k ON k.place = j.first
        """,
        {"same": same, "words": settings.min_words},
    )
    db.execute(
        """
        DELETE FROM duplicates d
        WHERE EXISTS (SELECT 1 FROM versions a JOIN versions b USING (version) WHERE a.id = d.id AND b.id = d.first)
        """
    )
    for table in ("texts", "prints", "matches"):
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


def _store_matches(db: duckdb.DuckDBPyConnection, settings: DuplicateSettings, *, same: int) -> None:
    """Create tables `prints`, each fingerprint once, and `matches`: the most similar kept place of other places."""
    db.execute(
        """
        CREATE TABLE prints AS SELECT simhash, min(place) AS place FROM texts WHERE words >= ? GROUP BY simhash
        """,
        [settings.min_words],
    )
    db.execute("CREATE TABLE matches (place BIGINT, first BIGINT, bits INTEGER)")
    most = max(same, bits_above(settings.review))
    similar = SimilarTexts(most_bits=most)
    kept: list[int] = []
    matches: list[tuple[int, int, int]] = []
    for place, print_ in streamed(db, "SELECT place, simhash FROM prints ORDER BY place"):
        found = similar.nearest(print_)
        if found is not None:
            matches.append((place, kept[found[0]], found[1]))
        if found is None or found[1] > same:
            similar.add(print_)
            kept.append(place)
    for start in range(0, len(matches), _ROWS):
        columns = [list(column) for column in zip(*matches[start : start + _ROWS], strict=True)]
        db.execute("INSERT INTO matches SELECT unnest(?), unnest(?), unnest(?)", columns)
