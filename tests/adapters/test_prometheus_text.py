"""The text format of Prometheus, read by the parser of its own client library."""

from prometheus_client.parser import text_string_to_metric_families

from wavecrawl.adapters.prometheus_text import Family, Sample, histogram, metrics_text


def test_labels_are_read_as_they_were() -> None:
    labels = {"site": 'a"b\\c\nd'}
    text = metrics_text([Family(name="x", kind="gauge", help="A figure.", samples=[Sample(value=1.5, labels=labels)])])
    (family,) = text_string_to_metric_families(text)
    (sample,) = family.samples
    assert (family.name, family.documentation, sample.labels, sample.value) == (
        "wavecrawl_x",
        "A figure.",
        labels,
        1.5,
    )


def test_the_buckets_of_a_histogram_are_cumulative() -> None:
    samples = histogram((0.5, 1.0), (2, 0, 3), 7.25, {"host": "h"})
    text = metrics_text([Family(name="t", kind="histogram", help="Times.", samples=samples)])
    (family,) = text_string_to_metric_families(text)
    assert [(one.name, one.labels.get("le"), one.value) for one in family.samples] == [
        ("wavecrawl_t_bucket", "0.5", 2.0),
        ("wavecrawl_t_bucket", "1", 2.0),
        ("wavecrawl_t_bucket", "+Inf", 5.0),
        ("wavecrawl_t_sum", None, 7.25),
        ("wavecrawl_t_count", None, 5.0),
    ]
