"""Functions and their triggers in the template."""

import json
import re
from typing import Any

import pytest
from infra.config import LEASE_SECONDS, Config
from tests.infra.reading import function_of, only, properties
from tests.support.campaign import slow
from tests.support.synthesis import ROOT, Assembly

from wavecrawl.api.http_api import ROUTES
from wavecrawl.domain.crawl.events import EventKind

PACKERS = ("wavecrawl-finish-crawl", "wavecrawl-api")  # they know whether crawls have a WACZ package
PLANNERS = ("wavecrawl-open-crawl", "wavecrawl-run-wave", "wavecrawl-read-sitemaps")
STARTERS = {"wavecrawl-webhook", "wavecrawl-api", "wavecrawl-start-site"}
SCHEDULERS = {"wavecrawl-api", "wavecrawl-start-site"}

SCHEDULING = tuple(f"WAVECRAWL_SCHEDULE_{name}" for name in ("GROUP", "ROLE_ARN", "TARGET_ARN", "DEAD_LETTERS_ARN"))


def test_functions_run_with_python_3_13_on_arm_except_the_one_with_chromium(assembly: Assembly) -> None:
    functions = properties(assembly, "AWS::Lambda::Function")
    assert functions
    for function in functions:
        renders = function["FunctionName"] == "wavecrawl-render-batch"
        assert function["Architectures"] == (["x86_64"] if renders else ["arm64"])
        assert function["Runtime"] == "python3.13"


@pytest.mark.parametrize(
    ("deployment", "level", "application", "system"),
    [
        ("least", "DEBUG", "DEBUG", "DEBUG"),
        ("assembly", "INFO", "INFO", "INFO"),
        pytest.param("other", "WARNING", "INFO", "WARN", marks=slow),
        ("everything", "ERROR", "INFO", "WARN"),
    ],
)
def test_lambda_is_told_the_level_of_the_logs_and_never_drops_metrics(
    request: pytest.FixtureRequest, deployment: str, level: str, application: str, system: str
) -> None:
    """Lambda drops lines below its level, and lines without a level, such as metrics, are INFO.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
    """
    functions = properties(request.getfixturevalue(deployment), "AWS::Lambda::Function")
    assert functions
    for function in functions:
        logging = function["LoggingConfig"]
        assert logging["LogFormat"] == "JSON"
        assert (logging["ApplicationLogLevel"], logging["SystemLogLevel"]) == (application, system)
        assert function["Environment"]["Variables"]["POWERTOOLS_LOG_LEVEL"] == level


def test_every_function_of_the_template_is_ours(assembly: Assembly) -> None:
    folders = {path.parent.name.replace("_", "-") for path in (ROOT / "functions").glob("*/handler.py")}
    names = {function["FunctionName"] for function in properties(assembly, "AWS::Lambda::Function")}
    assert names == {f"wavecrawl-{folder}" for folder in folders}


def test_no_handler_is_longer_than_forty_lines() -> None:
    lengths = {path.parent.name: len(path.read_text().splitlines()) for path in (ROOT / "functions").glob("*/*.py")}
    assert "run_wave" in lengths
    assert {name for name, length in lengths.items() if length > 40} == set()


def test_a_setting_decides_on_the_memory_of_every_function() -> None:
    from infra.constructs.functions import shapes  # noqa: PLC0415 - it starts Node, which most workers do without

    config = Config(
        fetch_memory=1_001,
        planner_memory=1_002,
        finish_memory=1_003,
        fold_memory=1_025,
        render_memory=1_026,
        media_memory=1_027,
        index_memory=1_028,
        small_memory=300,
        results_memory=1_024,
    )
    memory = {name: shape.memory for name, shape in shapes(config).items()}
    assert memory == {
        "webhook": 300,
        "api": 300,
        "start_site": 300,
        "open_crawl": 300,
        "fail_crawl": 300,
        "deliver": 300,
        "notify": 300,
        "fetch_batch": 1_001,
        "render_batch": 1_026,
        "process_media": 1_027,
        "index_site": 1_028,
        "run_wave": 1_002,
        "read_sitemaps": 1_002,
        "finish_crawl": 1_003,
        "fold_wave": 1_025,
        "results": 1_024,
    }


def test_only_functions_that_read_or_write_parquet_carry_duckdb(assembly: Assembly) -> None:
    carrying = {
        function["FunctionName"]
        for function in properties(assembly, "AWS::Lambda::Function")
        if any("Analytics" in layer["Ref"] for layer in function["Layers"])
    }
    assert carrying == {
        f"wavecrawl-{name}" for name in ("finish-crawl", "fold-wave", "index-site", "results", "run-wave")
    }


def test_fetch_workers_take_one_batch_each_and_are_bounded(assembly: Assembly) -> None:
    mapping = mapping_of(assembly, "FetchBatch")
    assert mapping["BatchSize"] == 1
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}


@pytest.mark.parametrize("function", ["RenderBatch", "ProcessMedia"])
def test_slow_workers_take_one_batch_each_and_are_bounded(assembly: Assembly, function: str) -> None:
    mapping = mapping_of(assembly, function)
    assert mapping["BatchSize"] == 1
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}


@pytest.mark.parametrize(
    "name",
    ["render", "process.?media|Queues?Media|LayersMedia|MediaQueue|MEDIA_QUEUE", "index.?site|QueuesIndex|(?-i:INDEX)"],
)
def test_without_rendering_media_or_knowledge_nothing_of_it_is_deployed(least: Assembly, name: str) -> None:
    resources = least.template["Resources"]
    found = {id_ for id_, resource in resources.items() if re.search(name, json.dumps(resource), re.IGNORECASE)}
    tables = {id_ for id_ in found if resources[id_]["Type"] == "AWS::Glue::Table"}  # results have the same columns
    assert found == tables


def test_the_function_that_renders_has_the_layers_for_its_processor_only(assembly: Assembly) -> None:
    layers = {
        id_: layer["Properties"]["CompatibleArchitectures"]
        for id_, layer in assembly.of_kind("AWS::Lambda::LayerVersion").items()
    }
    for function in properties(assembly, "AWS::Lambda::Function"):
        (machine,) = function["Architectures"]
        assert all(machine in layers[layer["Ref"]] for layer in function["Layers"])
    names = [layer["Ref"] for layer in function_of(assembly, "render-batch")["Layers"]]
    assert any("RenderDependencies" in name for name in names)


def test_webhook_messages_are_delivered_one_by_one_with_limited_parallelism(assembly: Assembly) -> None:
    mapping = mapping_of(assembly, "Deliver")
    assert mapping["BatchSize"] == 1
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}


def test_what_happens_to_crawls_reaches_the_queue_of_deliveries(assembly: Assembly) -> None:
    rules = properties(assembly, "AWS::Events::Rule")
    rule = next(one for one in rules if one["EventPattern"].get("source") == ["wavecrawl"])
    assert rule["EventPattern"]["detail-type"] == [kind.value for kind in EventKind if kind is not EventKind.TEST]
    assert "Events" in rule["EventBusName"]["Ref"]
    (target,) = rule["Targets"]
    assert target["Arn"]["Fn::GetAtt"][0].startswith("QueuesDeliveries")
    assert "UndeliveredEvents" in target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]


def mapping_of(assembly: Assembly, function: str) -> dict[str, Any]:
    mappings = properties(assembly, "AWS::Lambda::EventSourceMapping")
    return next(one for one in mappings if one["FunctionName"]["Ref"].startswith(f"Functions{function}"))


def test_only_workers_of_batches_may_feed_their_own_queue(assembly: Assembly) -> None:
    loops = {
        function["FunctionName"]: function["RecursiveLoop"]
        for function in properties(assembly, "AWS::Lambda::Function")
        if "RecursiveLoop" in function
    }
    assert loops == dict.fromkeys(
        ("wavecrawl-fetch-batch", "wavecrawl-render-batch", "wavecrawl-process-media"), "Allow"
    )


def test_functions_know_everything_the_contract_names(assembly: Assembly) -> None:
    functions = properties(assembly, "AWS::Lambda::Function")
    assert functions
    for function in functions:
        assert set(function["Environment"]["Variables"]) == {
            *("WAVECRAWL_TABLE", "WAVECRAWL_BUCKET", "WAVECRAWL_FETCH_QUEUE_URL", "WAVECRAWL_STATE_MACHINE_ARN"),
            *(
                "WAVECRAWL_BUS",
                "WAVECRAWL_SECRET_ID",
                "WAVECRAWL_STACK",
                "WAVECRAWL_CONTACT",
                "WAVECRAWL_ALLOWED_ADDRESSES",
            ),
            *("WAVECRAWL_QSTASH_URL", "WAVECRAWL_MAX_BODY_BYTES", "WAVECRAWL_TENANT", "POWERTOOLS_SERVICE_NAME"),
            *(
                "WAVECRAWL_RENDER_QUEUE_URL",
                "WAVECRAWL_MEDIA_QUEUE_URL",
                "WAVECRAWL_FOLDS_QUEUE_URL",
                "WAVECRAWL_INDEX_QUEUE_URL",
                "WAVECRAWL_DELIVERIES_QUEUE_URL",
                "WAVECRAWL_REQUESTS_A_MINUTE",
                "WAVECRAWL_WRONG_KEYS_A_MINUTE",
                "WAVECRAWL_MAX_LIST_URLS",
                "WAVECRAWL_MAX_LIST_MB",
                "WAVECRAWL_MAX_RUNNING_CRAWLS",
                "WAVECRAWL_LONGEST_PAUSE",
                "WAVECRAWL_SQL_DATABASE",
            ),
            *("POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_LOG_LEVEL"),
            *(("WAVECRAWL_WACZ_MB",) if function["FunctionName"] in PACKERS else ()),
            *(("WAVECRAWL_KNOWLEDGE_MB",) if function["FunctionName"] == "wavecrawl-index-site" else ()),
            *(("WAVECRAWL_FINISH_PAGES",) if function["FunctionName"] in PLANNERS else ()),
            *(("WAVECRAWL_LEASE",) if function["FunctionName"] in STARTERS else ()),
            *(SCHEDULING if function["FunctionName"] in SCHEDULERS else ()),
        }


def test_crawls_are_started_with_the_lease_that_time_outs_go_by(assembly: Assembly) -> None:
    for name in ("webhook", "api", "start-site"):
        assert function_of(assembly, name)["Environment"]["Variables"]["WAVECRAWL_LEASE"] == str(LEASE_SECONDS)


def test_executions_that_were_stopped_reach_fail_crawl(assembly: Assembly) -> None:
    rule = next(one for one in properties(assembly, "AWS::Events::Rule") if "detail" in one["EventPattern"])
    assert rule["EventPattern"]["detail"]["status"] == ["ABORTED", "TIMED_OUT", "FAILED"]
    assert rule["EventPattern"]["source"] == ["aws.states"]
    (target,) = rule["Targets"]
    assert "FailCrawl" in target["Arn"]["Fn::GetAtt"][0]
    assert "UndeliveredEvents" in target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]


def test_events_on_the_stacks_bus_start_sites(assembly: Assembly) -> None:
    rule = next(
        one
        for one in properties(assembly, "AWS::Events::Rule")
        if one["EventPattern"] == {"detail-type": ["crawl.requested"]}
    )
    assert "Events" in rule["EventBusName"]["Ref"]
    (target,) = rule["Targets"]
    assert "StartSite" in target["Arn"]["Fn::GetAtt"][0]
    assert "UndeliveredEvents" in target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]


def test_events_that_cannot_be_handled_are_kept(assembly: Assembly) -> None:
    invocations = properties(assembly, "AWS::Lambda::EventInvokeConfig")
    functions = [one["FunctionName"]["Ref"] for one in invocations]
    assert any("FailCrawl" in name for name in functions)
    assert any("StartSite" in name for name in functions)
    for invocation in invocations:
        assert "UndeliveredEvents" in invocation["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]


def test_the_state_machine_is_traced_and_logs_no_task_tokens(assembly: Assembly) -> None:
    machine = only(assembly, "AWS::StepFunctions::StateMachine")
    assert machine["TracingConfiguration"] == {"Enabled": True}
    assert machine["LoggingConfiguration"]["Level"] == "ALL"
    assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False


def test_schedules_have_a_group_of_their_own(assembly: Assembly) -> None:
    assert only(assembly, "AWS::Scheduler::ScheduleGroup")["Name"] == "wavecrawl"


def test_each_route_of_the_api_is_named_and_there_is_no_other(assembly: Assembly) -> None:
    described = {f"{method} {path}" for routes in ROUTES.values() for method, path in routes}
    assert {route["RouteKey"] for route in properties(assembly, "AWS::ApiGatewayV2::Route")} == {
        "POST /webhooks/crawl",
        "POST /webhooks/qstash",
        "GET /",
        "GET /assets/{file}",
        "GET /robots.txt",
        "GET /sitemap.xml",
        "GET /check/{page+}",
        "POST /check/hook",
        *described,
    }


def test_requests_are_bounded_and_logged_without_their_secrets(assembly: Assembly) -> None:
    stage = only(assembly, "AWS::ApiGatewayV2::Stage")
    throttle = stage["DefaultRouteSettings"]
    assert (throttle["ThrottlingRateLimit"], throttle["ThrottlingBurstLimit"]) == (50, 100)
    limits = {"ThrottlingRateLimit": 2, "ThrottlingBurstLimit": 40}
    posted = ("/webhooks/crawl", "/webhooks/qstash", "/check/hook")
    got = ("/", "/assets/{file}", "/health", "/docs", "/openapi.json", "/robots.txt", "/sitemap.xml", "/check/{page+}")
    public = [*(f"POST {path}" for path in posted), *(f"GET {path}" for path in got)]
    assert stage["RouteSettings"] == dict.fromkeys(public, limits)
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert not [value for value in logged.values() if "authorization" in value.lower() or "ip" in value.lower()]


def test_pages_of_other_origins_may_call_where_the_operator_names_them(
    assembly: Assembly, everything: Assembly
) -> None:
    assert "CorsConfiguration" not in only(assembly, "AWS::ApiGatewayV2::Api")
    named = only(everything, "AWS::ApiGatewayV2::Api")
    allowed = named["CorsConfiguration"]
    assert allowed["AllowOrigins"] == ["https://a.example", "https://b.example"]
    assert {"authorization", "idempotency-key"} <= set(allowed["AllowHeaders"])
    assert {"GET", "POST"} <= set(allowed["AllowMethods"])
