"""The search for duplicates: `python -m bench.duplicates`.

Among a million pages: time, memory, recall. Fingerprints are generated, with planted pairs that differ in a known
number of bits, and pages of one template. Among the pages of manuals: how many are found, also of planted copies.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import duckdb
import msgspec
from bench.report import RESULTS, setting, table, write_section
from msgspec.structs import asdict, replace

from wavecrawl.adapters.analytics.build import MEMORY_MB
from wavecrawl.adapters.analytics.database import database
from wavecrawl.adapters.analytics.duplicates import build_duplicates
from wavecrawl.domain.pages.duplicates import DuplicateSettings
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.shingles import shared_shingles, shingles_of
from wavecrawl.domain.pages.simhash import BITS, bits_above, simhash, similarity

PAGES = 1_000_000
CROWD = 100_000  # pages of one template
SPREADS = (0, 4)  # mean number of bits in which pages of the template differ from it; 0: no such pages
PLANTED = 2_000  # pairs for each number of bits
MOST_BITS = bits_above(DuplicateSettings().review)
MOST_SECONDS, MOST_MB = 600, 2_000
_TEXT = " ".join(f"word{number}" for number in range(300))  # of all generated pages: so each similar pair is confirmed
_TABLES = (
    "CREATE TABLE nodes AS SELECT id, 1 AS depth, id AS final FROM pages",
    "CREATE TABLE versions (id BIGINT, version BIGINT)",
    "CREATE TABLE noindexed (id BIGINT)",
    "CREATE TABLE canonicals (id BIGINT, target BIGINT, elsewhere BOOLEAN)",
)

MANUALS = {
    "cppreference-doc-en-html": "/usr/share/cppreference/doc/html",
    "python3.11-doc": "/usr/share/doc/python3.11/html",
    "python-django-doc": "/usr/share/doc/python-django-doc/html",
    "postgresql-doc-15": "/usr/share/doc/postgresql-doc-15/html",
}
"""Debian package -> folder of its pages."""

SHARES = (0.0, 0.5, 0.75, 0.9, 0.95)  # of `shared_words`; 0: fingerprints alone
EDITS = (0.01, 0.02, 0.03, 0.05)  # shares of words that planted copies have replaced
COPIED = 150  # pages with planted copies
FEWEST, MOST = 100, 3_000  # words of such pages


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page of a manual."""

    url: str
    text: str
    hash: str
    print: int
    words: int


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one process."""

    spread: int
    seconds: float
    cpu: float  # seconds, of all threads
    rss: float  # MB
    duplicates: int
    review: int
    recall: list[float]  # of planted pairs that differ in 1 bit, in 2 bits, ...


def prints(spread: int, random: Random) -> Iterator[int]:
    """Yield the fingerprints of a crawl: the changed pages of the planted pairs last, in the order of the first."""
    template = random.getrandbits(BITS)
    crowd = CROWD if spread else 0
    planted = PLANTED * MOST_BITS
    originals = [random.getrandbits(BITS) for _ in range(planted)]
    yield from originals
    for _ in range(crowd):
        yield template ^ sum(1 << bit for bit in range(BITS) if random.random() < spread / BITS)
    for _ in range(PAGES - crowd - 2 * planted):
        yield random.getrandbits(BITS)
    for number, original in enumerate(originals):
        yield original ^ sum(1 << bit for bit in random.sample(range(BITS), 1 + number // PLANTED))


def measure(spread: int, folder: Path) -> Sample:
    """Find the duplicates of a generated crawl in this process, which should be a fresh one."""
    source = folder / "prints.csv"
    with source.open("w", encoding="ascii") as file:
        file.writelines(f"{print_}\n" for print_ in prints(spread, Random(16)))
    with database(folder / "spill", memory_mb=MEMORY_MB, threads=2, file=folder / "bench.duckdb") as db:
        db.execute(
            """
            CREATE TABLE pages AS
            SELECT row_number() OVER () - 1 AS id, 'http://localhost/page/' || id AS url, url AS key,
                   'fetched' AS state, TRUE AS is_html, md5('text' || id) AS text_hash, column0 AS simhash,
                   300 AS word_count
            FROM read_csv($source, header = false, columns = {'column0': 'UBIGINT'})
            """,
            {"source": str(source)},
        )
        db.execute(
            """
            CREATE TABLE part_texts AS
            SELECT key, 0 AS piece, $text AS text, NULL::VARCHAR AS markdown, 0::UBIGINT AS file_index FROM pages
            """,
            {"text": _TEXT},
        )
        for statement in _TABLES:
            db.execute(statement)
        started, cpu = time.perf_counter(), time.process_time()
        build_duplicates(db, DuplicateSettings())
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        counts = dict(db.execute("SELECT kind, count(*) FROM duplicates GROUP BY 1").fetchall())
        planted = PLANTED * MOST_BITS
        found = dict(
            db.execute(
                "SELECT (id - $from) // $pairs, count(*) FROM duplicates WHERE first = id - $from GROUP BY 1",
                {"from": PAGES - planted, "pairs": PLANTED},
            ).fetchall()
        )
    return Sample(
        spread=spread,
        seconds=seconds,
        cpu=cpu,
        rss=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        duplicates=counts.get("exact", 0) + counts.get("near", 0),
        review=counts.get("review", 0),
        recall=[found.get(number, 0) / PLANTED for number in range(MOST_BITS)],
    )


def read_manual(folder: str) -> list[Text]:
    """Return the texts of a manual's pages, those of outer folders first."""
    paths = sorted(Path(folder).rglob("*.html"), key=lambda path: (len(path.parts), path))
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(_read, paths, chunksize=20))


def _read(path: Path) -> Text:
    facts = extract(path.read_bytes(), url=f"http://localhost{path}").facts
    return Text(url=str(path), text=facts.text, hash=facts.text_hash, print=facts.simhash, words=facts.word_count)


def kinds_of(texts: Sequence[Text], settings: DuplicateSettings) -> dict[str, int]:
    """Return how many duplicates of each kind the pages of a manual have."""
    columns = [[getattr(text, name) for text in texts] for name in ("url", "text", "hash", "print", "words")]
    with duckdb.connect() as db:
        db.execute(
            """
            CREATE TABLE rows AS SELECT unnest(?) AS key, unnest(?) AS text, unnest(?) AS text_hash,
                                        unnest(?)::UBIGINT AS simhash, unnest(?) AS word_count
            """,
            columns,
        )
        db.execute(
            """
            CREATE TABLE pages AS
            SELECT row_number() OVER () - 1 AS id, key AS url, 'fetched' AS state, TRUE AS is_html, * EXCLUDE (text)
            FROM rows
            """
        )
        db.execute(
            """
            CREATE TABLE part_texts AS
            SELECT key, 0 AS piece, text, NULL::VARCHAR AS markdown, 0::UBIGINT AS file_index FROM rows
            """
        )
        for statement in _TABLES:
            db.execute(statement)
        build_duplicates(db, settings)
        return dict(db.execute("SELECT kind, count(*) FROM duplicates GROUP BY 1").fetchall())


def manual_rows(manuals: dict[str, list[Text]]) -> Iterator[list[str]]:
    """Yield a row per manual: its pages, exact duplicates, and near ones for each share of common words."""
    for name, texts in manuals.items():
        found = [kinds_of(texts, replace(DuplicateSettings(), shared_words=share)) for share in SHARES]
        near = [f"{kinds.get('near', 0):,}" for kinds in found]
        yield [name, f"{len(texts):,}", f"{found[0].get('exact', 0):,}", *near]


def planted_rows(texts: Sequence[Text], random: Random) -> Iterator[list[str]]:
    """Yield a row per number of replaced words: the shares of the copies that are found."""
    chosen = random.sample([text for text in texts if FEWEST <= text.words < MOST], COPIED)
    other = " ".join(text.text for text in chosen).split()
    for share in EDITS:
        for where, edited in (("scattered", _scattered), ("in one block", _block)):
            alike = confirmed = 0
            for text in chosen:
                words = text.text.split()
                copy = " ".join(edited(words, random.choices(other, k=max(1, round(share * len(words)))), random))
                if similarity(simhash(text.text), simhash(copy)) > DuplicateSettings().same:
                    alike += 1
                    shared = shared_shingles(shingles_of(text.text), shingles_of(copy))
                    confirmed += shared >= DuplicateSettings().shared_words
            yield [f"{100 * share:.0f} %, {where}", f"{alike / COPIED:.2f}", f"{confirmed / COPIED:.2f}"]


def _scattered(words: list[str], new: list[str], random: Random) -> list[str]:
    places = dict(zip(random.sample(range(len(words)), len(new)), new, strict=True))
    return [places.get(place, word) for place, word in enumerate(words)]


def _block(words: list[str], new: list[str], random: Random) -> list[str]:
    begin = random.randrange(len(words) - len(new) + 1)
    return [*words[:begin], *new, *words[begin + len(new) :]]


def text_of_manuals(manuals: dict[str, list[Text]]) -> str:
    """Return the section of the results about manuals."""
    default = DuplicateSettings().shared_words
    heads = ["manual", "pages", "same text", "similar by fingerprint"]
    heads += [f"with {share:.2f} of the words" for share in SHARES[1:]]
    planted = planted_rows([text for texts in manuals.values() for text in texts], Random(41))
    return f"""
## Duplicates in manuals

{table(heads, list(manual_rows(manuals)))}

The pages are read from the files of the Debian packages. "Similar by fingerprint": more similar than
`duplicates.same`. The other columns: of them, those that have at least this share of their sequences of three words in
common with the page that is kept (`duplicates.shared_words`, by default {default}). Only these, and pages with the same
text, are left out of the Markdown and the search index.

{table(["words replaced in a copy", "found by fingerprint", "and by words"], list(planted))}

Copies of {COPIED} pages of the manuals with {FEWEST} to {MOST:,} words.

{setting(["wavecrawl", "duckdb"])}
"""


def text_of(samples: list[Sample]) -> str:
    """Return the section of the results."""
    heads = ("pages of one template: mean bits from it", "seconds", "CPU seconds", "peak RSS MB", "duplicates",
             "to review")  # fmt: skip
    rows = [
        (str(one.spread or "none"), *(f"{value:,.0f}" for value in (one.seconds, one.cpu, one.rss)),
         f"{one.duplicates:,}", f"{one.review:,}")
        for one in samples
    ]  # fmt: skip
    recall = [(f"{number:.3f}") for number in samples[0].recall]
    bits = [f"{number}" for number in range(1, MOST_BITS + 1)]
    return f"""
## Duplicates: {PAGES:,} fingerprints

{table(heads, rows)}

Random fingerprints; {CROWD:,} pages of one template differ from it in that number of bits. The promise is
{MOST_SECONDS} s and {MOST_MB:,} MB on two cores. Planted pairs, {PLANTED:,} for each number of bits: up to
{bits_above(DuplicateSettings().same)} bits are duplicates, the others are flagged for review.

{table(("bits", *bits), [("similarity", *(f"{1 - int(one) / BITS:.3f}" for one in bits)), ("found", *recall)])}

{setting(["wavecrawl", "duckdb"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.duplicates", description="Measure the search for duplicates")
    parser.add_argument("--spread", type=int, help="measure this crowd in this process and print JSON")
    parser.add_argument("--manuals", action="store_true", help="measure the manuals only")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.spread is not None:
        with TemporaryDirectory() as name:
            print(json.dumps(asdict(measure(options.spread, Path(name)))))
        return 0
    manuals = text_of_manuals({name: read_manual(folder) for name, folder in MANUALS.items()})
    print(manuals)
    write_section("duplicates-manuals", manuals, file=options.results)
    if options.manuals:
        return 0
    samples = [_in_fresh_process(spread) for spread in SPREADS]
    text = text_of(samples)
    print(text)
    write_section("duplicates", text, file=options.results)
    return 1 if any(one.seconds > MOST_SECONDS or one.rss > MOST_MB for one in samples) else 0


def _in_fresh_process(spread: int) -> Sample:
    command = [sys.executable, "-m", "bench.duplicates", "--spread", str(spread)]
    return Sample(**json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


if __name__ == "__main__":
    sys.exit(main())
