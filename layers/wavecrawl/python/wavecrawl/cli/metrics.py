"""Metrics of a crawl in Prometheus' text format: a file for node_exporter's textfile collector."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from wavecrawl.adapters.prometheus_text import Family, Sample, metrics_text
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.analytics import CrawlSummary

_Samples = list[tuple[Mapping[str, str], float]]  # further labels, and the value


def write_metrics(summary: CrawlSummary, file: Path) -> None:
    """Write the metrics atomically; raise InvalidInputError if the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f"{file.name}.new")
        new.write_text(crawl_metrics(summary), encoding="utf-8")
        new.replace(file)
    except OSError as error:
        raise InvalidInputError(f"--metrics {file} cannot be written: {error.strerror or error}") from error


def crawl_metrics(summary: CrawlSummary) -> str:
    """Return the metrics of a finished crawl, each labelled with the site's root URL."""
    return metrics_text(
        Family(
            name=name,
            kind="gauge",
            help=what,
            samples=[Sample(value=value, labels={"site": summary.root_url, **labels}) for labels, value in samples],
        )
        for name, what, samples in _metrics(summary)
    )


def _metrics(summary: CrawlSummary) -> Iterator[tuple[str, str, _Samples]]:
    timing = summary.timing
    yield "crawl_finished_timestamp_seconds", "Time the crawl ended.", [({}, timing.finished_at.timestamp())]
    yield "crawl_duration_seconds", "Duration of the crawl.", [({}, timing.seconds)]
    yield "crawl_pages", "Pages fetched or found unchanged.", [({}, summary.pages)]
    yield "crawl_bytes", "Bytes of response bodies, as transferred.", [({}, summary.bytes)]
    yield "crawl_urls", "Discovered URLs by state.", _by("state", summary.states)
    yield "crawl_reasons", "URLs not fetched or not fetched as requested, by reason.", _by("reason", summary.reasons)
    yield "crawl_answers", "Pages by HTTP status.", _by("status", summary.statuses)
    yield "crawl_issues", "Issues of the site by kind.", _by("kind", summary.issues)
    yield "crawl_orphans", "Sitemap pages without a link to them, by verdict.", _by("verdict", summary.orphans or {})
    yield (
        "crawl_duplicates",
        "Pages with the same or a similar text, by kind.",
        _by("kind", summary.duplicates),
    )
    figures = {one.name.value: one for one in summary.objectives}
    measured = {name: one.value for name, one in figures.items() if one.value is not None}
    met = {name: int(one.met) for name, one in figures.items() if one.met is not None}
    yield "crawl_objective_value", "Figures that the crawl is judged by; staleness in days.", _by("objective", measured)
    yield "crawl_objective_met", "1 if the crawl met the objective, 0 if it missed it.", _by("objective", met)
    yield (
        "crawl_page_seconds",
        "Response time of pages.",
        [
            ({"quantile": "0.5"}, timing.median_page_seconds),
            ({"quantile": "0.95"}, timing.p95_page_seconds),
        ],
    )


def _by(name: str, counts: Mapping[str, float]) -> _Samples:
    return [({name: value}, count) for value, count in counts.items()]
