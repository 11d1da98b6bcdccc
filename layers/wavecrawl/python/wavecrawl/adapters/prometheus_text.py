"""The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

import msgspec

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its labels. `suffix` is added to the name of its family."""

    value: float
    labels: Labels
    suffix: str = ""


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of one metric. `name` is without the prefix `wavecrawl_`."""

    name: str
    kind: str
    help: str
    samples: Iterable[Sample]


def metrics_text(families: Iterable[Family]) -> str:
    """Return the text of metrics."""
    lines: list[str] = []
    for family in families:
        name = f"wavecrawl_{family.name}"
        lines += [f"# HELP {name} {family.help}", f"# TYPE {name} {family.kind}"]
        lines += [f"{name}{sample.suffix}{_labels(sample.labels)} {sample.value}" for sample in family.samples]
    return "\n".join(lines) + "\n"


def histogram(bounds: Iterable[float], buckets: Iterable[int], total: float, labels: Labels) -> list[Sample]:
    """Return the samples of a histogram. `buckets`: numbers up to each bound, and above all. `total`: their sum."""
    samples: list[Sample] = []
    count = 0
    for bound, number in zip((*bounds, inf), buckets, strict=True):
        count += number
        name = "+Inf" if bound == inf else f"{bound:g}"
        samples.append(Sample(value=count, labels={**labels, "le": name}, suffix="_bucket"))
    samples.append(Sample(value=total, labels=labels, suffix="_sum"))
    return [*samples, Sample(value=count, labels=labels, suffix="_count")]


def _labels(labels: Labels) -> str:
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{written}}}" if written else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
