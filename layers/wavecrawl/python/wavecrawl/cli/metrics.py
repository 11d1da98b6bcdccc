"""The numbers of a crawl for Prometheus, in its text format (spec [41]): a file for the textfile collector."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.analytics import CrawlSummary

_Samples = Mapping[str, float]  # by further labels, as they stand between the braces; "" = none


def write_metrics(summary: CrawlSummary, file: Path) -> None:
    """Write the metrics, whole or not at all; raise InvalidInputError where that cannot be done."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_name(f"{file.name}.new")
        half.write_text(metrics_text(summary), encoding="utf-8")
        half.replace(file)
    except OSError as error:
        raise InvalidInputError(f"--metrics {file} cannot be written: {error.strerror or error}") from error


def metrics_text(summary: CrawlSummary) -> str:
    """Return the metrics of a crawl that is over, each labelled with its site's root."""
    lines: list[str] = []
    site = _label("site", summary.root_url)
    for name, what, samples in _metrics(summary):
        lines += [f"# HELP wavecrawl_{name} {what}", f"# TYPE wavecrawl_{name} gauge"]
        lines += [
            f"wavecrawl_{name}{{{site}{',' if labels else ''}{labels}}} {value}" for labels, value in samples.items()
        ]
    return "\n".join(lines) + "\n"


def _metrics(summary: CrawlSummary) -> Iterator[tuple[str, str, _Samples]]:
    timing = summary.timing
    yield "crawl_finished_timestamp_seconds", "When the crawl ended.", {"": timing["finished_at"]}
    yield "crawl_duration_seconds", "How long it took.", {"": timing["seconds"]}
    yield "crawl_pages", "Pages it fetched, or found unchanged.", {"": summary.pages}
    yield "crawl_bytes", "Bytes of the bodies, as transferred.", {"": summary.bytes}
    yield "crawl_urls", "URLs it saw, by what became of them.", _by("state", summary.states)
    yield "crawl_reasons", "URLs that are not in it, or not as asked, by why.", _by("reason", summary.reasons)
    yield "crawl_answers", "Pages by HTTP status.", _by("status", summary.statuses)
    yield "crawl_issues", "What is wrong with the site, by kind.", _by("kind", summary.issues)
    yield "crawl_orphans", "Pages of sitemaps that nothing links to, by verdict.", _by("verdict", summary.orphans)
    yield "crawl_near_duplicates", "Pages nearly the same as another.", {"": summary.near_duplicates}
    yield (
        "crawl_page_seconds",
        "How long a page took.",
        {'quantile="0.5"': timing["median_page_seconds"], 'quantile="0.95"': timing["p95_page_seconds"]},
    )


def _by(name: str, counts: Mapping[str, int]) -> _Samples:
    return {_label(name, value): count for value, count in counts.items()}


def _label(name: str, value: str) -> str:
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{name}="{escaped}"'
