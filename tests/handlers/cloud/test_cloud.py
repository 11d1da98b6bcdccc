"""The composition root of the functions: settings, warm caches, results."""

from pathlib import Path

import pytest
from tests.support.functions import Deployment

from wavecrawl.adapters.aws.exports import S3Exports
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings, environment
from wavecrawl.cloud.recent import Recent
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidSettingsError
from wavecrawl.ports.exports import content_type_of

ID = CrawlId(tenant="t", site="s", crawl="c1")


def test_settings_come_from_the_environment() -> None:
    settings = CloudSettings.from_env(
        {
            "WAVECRAWL_TABLE": "t",
            "WAVECRAWL_ALLOWED_ADDRESSES": "10.0.0.0/8, ::1/128",
            "WAVECRAWL_MAX_BODY_BYTES": "2048",
            "WAVECRAWL_LEASE": "7.5",
        },
        needs=("table",),
    )
    assert (settings.lease, CloudSettings.from_env({}).lease) == (7.5, 360)
    assert (settings.table, settings.allowed_addresses) == ("t", ("10.0.0.0/8", "::1/128"))
    assert (settings.max_body_bytes, settings.tenant, settings.qstash_url) == (2048, "default", "")


def test_every_bad_variable_is_named_at_once() -> None:
    environ = {
        "WAVECRAWL_TABLE": "",
        "WAVECRAWL_ALLOWED_ADDRESSES": "nowhere",
        "WAVECRAWL_MAX_BODY_BYTES": "-1",
        "WAVECRAWL_TENANT": "a/b",
        "WAVECRAWL_LEASE": "long",
    }
    with pytest.raises(InvalidSettingsError) as raised:
        CloudSettings.from_env(environ, needs=("table", "bucket"))
    assert raised.value.problems == (
        "WAVECRAWL_TABLE must be set",
        "WAVECRAWL_BUCKET must be set",
        "WAVECRAWL_TENANT may hold neither '/' nor '#': 'a/b'",
        (
            "WAVECRAWL_ALLOWED_ADDRESSES must be networks such as 127.0.0.0/8, separated by commas: "
            "'nowhere' does not appear to be an IPv4 or IPv6 network"
        ),
        "WAVECRAWL_LEASE must be a number from 1 to 43,200: 'long'",
        "WAVECRAWL_MAX_BODY_BYTES must be a whole number from 1,024 to 1,048,576: '-1'",
    )


@pytest.mark.parametrize("lease", ["0.5", "-1", "nan", "inf", "43201"])
def test_a_lease_that_makes_no_sense_is_refused(lease: str) -> None:
    with pytest.raises(InvalidSettingsError, match="WAVECRAWL_LEASE must be a number from 1 to 43,200"):
        CloudSettings.from_env({"WAVECRAWL_LEASE": lease})


@pytest.mark.parametrize("wrong", ["9.5", "many", "5000", "-1"])
def test_a_whole_number_outside_its_range_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidSettingsError, match="WAVECRAWL_WACZ_MB must be a whole number from 0 to 4,096: '"):
        CloudSettings.from_env({"WAVECRAWL_WACZ_MB": wrong})


def test_a_variable_that_is_empty_means_the_default() -> None:
    assert CloudSettings.from_env({"WAVECRAWL_WACZ_MB": "", "WAVECRAWL_TENANT": ""}) == CloudSettings()


def test_the_deployment_writes_what_the_functions_read() -> None:
    variables = environment(table="t", wacz_mb=0, lease=7.5, allowed_addresses="10.0.0.0/8,::1/128")
    assert variables["WAVECRAWL_WACZ_MB"] == "0"
    expected = CloudSettings(table="t", wacz_mb=0, lease=7.5, allowed_addresses=("10.0.0.0/8", "::1/128"))
    assert CloudSettings.from_env(variables) == expected
    with pytest.raises(KeyError, match="tabel"):
        environment(tabel="t")


def test_what_was_used_last_is_kept() -> None:
    ended: list[str] = []
    recent: Recent[str, str] = Recent(2, on_end=ended.append)
    built = [recent.get(key, str.upper) for key in ("a", "b", "a", "c")]
    assert (built, ended) == (["A", "B", "A", "C"], ["B"])
    recent.forget("a")
    recent.forget("unknown")
    assert ended == ["B", "A"]


def test_the_first_invocation_pays_for_the_cold_start() -> None:
    cloud = Cloud(CloudSettings())
    with cloud.invocation(1024):
        pass
    first = cloud.meter.take()
    with cloud.invocation(1024):
        pass
    second = cloud.meter.take()
    assert (first.lambda_requests, second.lambda_requests) == (1, 1)
    assert first.lambda_gb_seconds > second.lambda_gb_seconds + 0.01
    assert cloud.meter.take() == Usage()


def test_results_are_published_with_their_types_the_summary_last(stack: Deployment, tmp_path: Path) -> None:
    for name in ("pages.csv", "summary.json", "zz.parquet"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    exports = S3Exports(stack.clients.s3, stack.bucket)
    exports.publish(ID, tmp_path)
    assert [(export.name, export.content_type) for export in exports.of(ID)] == [
        ("pages.csv", "text/csv; charset=utf-8"),
        ("summary.json", "application/json"),
        ("zz.parquet", "application/vnd.apache.parquet"),
    ]
    head = stack.clients.s3.head_object(Bucket=stack.bucket, Key="tenants/t/sites/s/crawls/c1/exports/zz.parquet")
    assert head["ContentType"] == "application/vnd.apache.parquet"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("report.html", "text/html; charset=utf-8"),
        ("pages.jsonl.gz", "application/gzip"),
        ("sitemap.xml", "application/xml"),
        ("crawl.other", "application/octet-stream"),
    ],
)
def test_types_follow_from_names(name: str, kind: str) -> None:
    assert content_type_of(name) == kind
