"""The search for duplicates among a million pages: time, memory, recall: `python -m bench.duplicates`.

Fingerprints are generated, with planted pairs that differ in a known number of bits, and pages of one template.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec
from bench.report import RESULTS, setting, table, write_section
from msgspec.structs import asdict

from wavecrawl.adapters.analytics.build import MEMORY_MB
from wavecrawl.adapters.analytics.database import database
from wavecrawl.adapters.analytics.duplicates import build_duplicates
from wavecrawl.domain.pages.duplicates import DuplicateSettings
from wavecrawl.domain.pages.simhash import BITS, bits_above

PAGES = 1_000_000
CROWD = 100_000  # pages of one template
SPREADS = (0, 4)  # mean number of bits in which pages of the template differ from it; 0: no such pages
PLANTED = 2_000  # pairs for each number of bits
MOST_BITS = bits_above(DuplicateSettings().review)
MOST_SECONDS, MOST_MB = 600, 2_000


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
            SELECT row_number() OVER () - 1 AS id, 'http://localhost/page/' || id AS url, 'fetched' AS state,
                   TRUE AS is_html, md5('text' || id) AS text_hash, column0 AS simhash, 300 AS word_count,
                   '' AS header_canonical, '' AS canonical, []::VARCHAR[] AS header_robots, []::VARCHAR[] AS robots
            FROM read_csv($source, header = false, columns = {'column0': 'UBIGINT'})
            """,
            {"source": str(source)},
        )
        db.execute("CREATE TABLE nodes AS SELECT id, 1 AS depth, id AS final FROM pages")
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
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.spread is not None:
        with TemporaryDirectory() as name:
            print(json.dumps(asdict(measure(options.spread, Path(name)))))
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
