"""The all-in cost of a million pages: `python -m bench.all_in` writes the table of docs/costs.md.

It adds what the measured bill (bench/bill.py) leaves out: the share of a processor that a function of 512 MB has, the
bytes that leave AWS, logs, a month of storage, and the task that finishes a large crawl. Each part has a low, a usual
and a high value, which follow from what is assumed of the site.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from bench.bill import COSTS
from bench.report import table, write_section

from wavecrawl.adapters.http.outbound import PACKET_HEADERS
from wavecrawl.domain.crawl.bill import PRICES

MILLION: Final = 1_000_000

MEASURED: Final = 1.41
"""Dollars per million further pages at `MEASURED_LATENCY`, by bench/bill.py."""

MEASURED_LATENCY: Final = 0.3  # seconds
BATCH: Final = 100  # pages
INTERVAL: Final = 0.04  # seconds between starts, and five requests in flight: the default pace
IN_FLIGHT: Final = 5
GIGABYTES: Final = 0.5  # of fetch_batch
PROCESSOR: Final = 512 / 1_769
"""Share of a processor of 512 MB: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html."""

SEGMENT: Final = 1_448  # bytes of content in a packet of 1,500 bytes
REQUEST: Final = 480  # bytes of a request's head, with its TLS record
HANDSHAKE: Final = 700  # bytes that a client sends to set up TLS 1.3

LOGS: Final = 0.5  # dollars per GB: https://aws.amazon.com/cloudwatch/pricing/
STORAGE: Final = 0.023  # dollars per GB and month: https://aws.amazon.com/s3/pricing/
TABLE: Final = 0.09  # dollars a month for the claims of a million pages (docs/costs.md)
TASK: Final = 0.21  # dollars per hour of the Fargate task (docs/adr/0016-large-crawls-finish-on-fargate.md)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What is assumed of a site."""

    name: str
    latency: float  # seconds per response
    processor: float  # seconds of a whole processor per page
    received: int  # bytes of a response, as transferred
    pages_a_connection: int
    logged: float  # bytes of logs per page
    stored: float  # KB of records and WARC per page
    finish: float  # hours of the Fargate task


SITES: Final = (
    Site(
        name="low",
        latency=0.1,
        processor=0.0015,
        received=8_000,
        pages_a_connection=20,
        logged=65,
        stored=8,
        finish=0.1,
    ),
    Site(
        name="usual",
        latency=0.3,
        processor=0.005,
        received=30_000,
        pages_a_connection=20,
        logged=65,
        stored=15,
        finish=0.2,
    ),
    Site(
        name="high",
        latency=1.0,
        processor=0.0104,
        received=100_000,
        pages_a_connection=1,
        logged=500,
        stored=27,
        finish=0.4,
    ),
)


def waiting(latency: float) -> float:
    """Return the dollars of the time that a worker waits for a million pages."""
    seconds = max(INTERVAL, latency / IN_FLIGHT)
    return seconds * GIGABYTES * PRICES["lambda_gb_seconds"].dollars * MILLION


def bytes_out(site: Site) -> float:
    """Return the bytes that leave AWS for a page: the request, one acknowledgement for two packets, the handshake."""
    packets = 1 + ceil(site.received / SEGMENT / 2)
    connecting = (HANDSHAKE + 6 * PACKET_HEADERS) / site.pages_a_connection
    return REQUEST + packets * PACKET_HEADERS + connecting


PARTS: Final[Sequence[tuple[str, Callable[[Site], float]]]] = (
    ("measured bill without waiting", lambda _: MEASURED - waiting(MEASURED_LATENCY)),
    ("waiting for pages", lambda site: waiting(site.latency)),
    (
        "share of a processor",
        lambda site: site.processor / PROCESSOR * GIGABYTES * PRICES["lambda_gb_seconds"].dollars * MILLION,
    ),
    ("bytes out", lambda site: bytes_out(site) * MILLION / 1e9 * PRICES["gigabytes_out"].dollars),
    ("logs", lambda site: site.logged * MILLION / 1e9 * LOGS),
    ("results, by the Fargate task", lambda site: site.finish * TASK),
    ("a month of storage", lambda site: site.stored * 1_000 * MILLION / 1e9 * STORAGE + TABLE),
)


def total(site: Site) -> float:
    """Return the dollars of a million pages."""
    return sum(cost(site) for _, cost in PARTS)


def report() -> str:
    """Return the table as text."""
    assumed: Sequence[tuple[str, Callable[[Site], str]]] = (
        ("a response takes", lambda site: f"{site.latency * 1_000:,.0f} ms"),
        ("a page computes", lambda site: f"{site.processor * 1_000:,.1f} ms"),
        ("a response is", lambda site: f"{site.received / 1_000:,.0f} KB"),
        ("pages over one connection", lambda site: f"{site.pages_a_connection}"),
        ("bytes out of a page", lambda site: f"{bytes_out(site):,.0f}"),
        ("logs of a page", lambda site: f"{site.logged:,.0f} bytes"),
        ("stored of a page", lambda site: f"{site.stored:,.0f} KB"),
    )
    heads = ("dollars per million pages", *(site.name for site in SITES))
    rows = [(name, *(f"{cost(site):,.2f}" for site in SITES)) for name, cost in PARTS]
    rows.append(("**all in**", *(f"**{total(site):,.2f}**" for site in SITES)))
    given = [(name, *(shown(site) for site in SITES)) for name, shown in assumed]
    return f"""{table(heads, rows)}

{table(("assumed", *(site.name for site in SITES)), given)}"""


def main() -> None:
    """Write the table."""
    write_section("all in", report(), file=COSTS)


if __name__ == "__main__":
    main()
