"""Logs, metrics, alarms and the dashboard of an operator."""

import json
from typing import Any, Final

import pytest
from tests.infra.reading import only, properties, shown_metrics
from tests.infra.senders import text
from tests.support.campaign import slow
from tests.support.synthesis import Assembly

FREE_ALARMS: Final = 10
"""Of an account: https://aws.amazon.com/cloudwatch/pricing/"""


def test_logs_are_kept_as_long_as_the_operator_wants(assembly: Assembly) -> None:
    assert {group["RetentionInDays"] for group in properties(assembly, "AWS::Logs::LogGroup")} == {30}


def test_every_function_logs_to_a_group_of_this_stack(assembly: Assembly) -> None:
    groups = assembly.of_kind("AWS::Logs::LogGroup")
    functions = properties(assembly, "AWS::Lambda::Function")
    assert functions
    for function in functions:
        group = groups[function["LoggingConfig"]["LogGroup"]["Ref"]]
        assert group["Properties"]["LogGroupName"] == f"/aws/lambda/{function['FunctionName']}"


def test_failed_and_stopped_crawls_errors_throttles_and_server_errors_raise_alarms(assembly: Assembly) -> None:
    alarms = properties(assembly, "AWS::CloudWatch::Alarm")
    watched = {(alarm["Namespace"], alarm["MetricName"]) for alarm in alarms}
    assert watched == {
        ("AWS/States", "ExecutionsFailed"),
        ("AWS/States", "ExecutionsAborted"),
        ("AWS/Lambda", "Errors"),
        ("AWS/Lambda", "Throttles"),
        ("AWS/DynamoDB", "ReadThrottleEvents"),
        ("AWS/DynamoDB", "WriteThrottleEvents"),
        ("AWS/ApiGateway", "5xx"),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        ("wavecrawl/wavecrawl", "BatchesFailed"),
        ("wavecrawl/wavecrawl", "FoldsFailed"),
        ("wavecrawl/wavecrawl", "IndexingsFailed"),
        ("wavecrawl/wavecrawl", "DeliveryMessagesFailed"),
    }


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_errors_and_throttles_of_every_function_raise_an_alarm(assembly: Assembly, metric: str) -> None:
    watched = {
        alarm["Dimensions"][0]["Value"]["Ref"]
        for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
        if alarm["MetricName"] == metric
    }
    assert watched == set(assembly.of_kind("AWS::Lambda::Function"))


def test_failures_that_a_function_reports_to_its_queue_raise_an_alarm(assembly: Assembly) -> None:
    """Lambda does not count them as errors. Each such function has a metric of its own for them."""
    functions = assembly.of_kind("AWS::Lambda::Function")
    reporting = {
        variables_of(functions[mapping["FunctionName"]["Ref"]])["POWERTOOLS_SERVICE_NAME"]
        for mapping in properties(assembly, "AWS::Lambda::EventSourceMapping")
        if "ReportBatchItemFailures" in mapping.get("FunctionResponseTypes", [])
    }
    assert reporting == {
        alarm["Dimensions"][0]["Value"]
        for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
        if alarm["Namespace"].startswith("wavecrawl/")
    }


def test_alarms_and_dashboard_show_the_metrics_that_the_functions_of_this_stack_publish(assembly: Assembly) -> None:
    functions = assembly.of_kind("AWS::Lambda::Function").values()
    assert {variables_of(function)["POWERTOOLS_METRICS_NAMESPACE"] for function in functions} == {"wavecrawl/wavecrawl"}
    services = {variables_of(function)["POWERTOOLS_SERVICE_NAME"] for function in functions}
    shown = [metric for metric in shown_metrics(assembly) if metric[0].startswith("wavecrawl")]
    assert shown
    assert {(namespace, dimension) for namespace, _, dimension, *_ in shown} == {("wavecrawl/wavecrawl", "service")}
    assert {metric[3] for metric in shown} <= services


@slow
def test_metrics_of_two_stacks_do_not_add_up(other: Assembly) -> None:
    functions = other.of_kind("AWS::Lambda::Function").values()
    assert {variables_of(function)["POWERTOOLS_METRICS_NAMESPACE"] for function in functions} == {
        "wavecrawl/Crawls-of-2026"
    }


@slow
def test_few_alarms_are_as_many_as_are_free(other: Assembly) -> None:
    names = {
        alarm["AlarmName"].removeprefix("Crawls-of-2026-") for alarm in properties(other, "AWS::CloudWatch::Alarm")
    }
    assert names == {
        *(
            "failed-crawls",
            "server-errors",
            "fetch-queue-age",
            "failed-batches",
        ),
        *(
            "undelivered-events",
            "fetch-dead-letters",
            "deliveries-dead-letters",
        ),
        *("fetch-batch-errors", "fetch-batch-throttles", "deliver-errors"),
    }
    assert len(names) == FREE_ALARMS


def test_alarms_notify_the_topic_at_their_start_and_end(assembly: Assembly) -> None:
    (topic,) = assembly.of_kind("AWS::SNS::Topic")
    alarms = properties(assembly, "AWS::CloudWatch::Alarm")
    assert alarms
    for alarm in alarms:
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]


def test_alarms_are_mailed_if_an_address_is_given(assembly: Assembly, everything: Assembly) -> None:
    assert properties(assembly, "AWS::SNS::Subscription") == []
    subscription = only(everything, "AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_the_dashboard_shows_everyfunction_of(assembly: Assembly) -> None:
    body = json.dumps(only(assembly, "AWS::CloudWatch::Dashboard")["DashboardBody"])
    assert all(function in body for function in assembly.of_kind("AWS::Lambda::Function"))


def test_the_dashboard_may_be_one_of_the_free_ones(assembly: Assembly) -> None:
    """The first three dashboards of an account with at most 50 metrics each: https://aws.amazon.com/cloudwatch/pricing/."""
    shown = shown_metrics(assembly)
    assert 0 < len(shown) <= 50
    assert all("expression" not in metric[0] for metric in shown), "a search shows a number of metrics not known here"


def test_the_name_of_the_dashboard_is_unique_in_the_account(assembly: Assembly) -> None:
    """Dashboards are global, so the name has stack and region."""
    assert text(only(assembly, "AWS::CloudWatch::Dashboard")["DashboardName"]) == "wavecrawl-eu-west-1"


def test_what_costs_while_nothing_runs_can_be_left_out(least: Assembly) -> None:
    for kind in ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::Budgets::Budget"):
        assert least.of_kind(kind) == {}
    assert traced_functions(least) == set()
    assert not only(least, "AWS::StepFunctions::StateMachine").get("TracingConfiguration", {}).get("Enabled")


def test_functions_of_the_api_are_traced_on_request_only(assembly: Assembly, everything: Assembly) -> None:
    """Anyone can invoke them, and a trace is billed. Lambda's sampling rate cannot be changed."""
    api = {"webhook", "api", "results"}
    names = {variables_of(one)["POWERTOOLS_SERVICE_NAME"] for one in assembly.of_kind("AWS::Lambda::Function").values()}
    assert traced_functions(assembly) == names - api
    assert traced_functions(everything) == names


def test_metrics_of_routes_are_off_by_default(assembly: Assembly, everything: Assembly) -> None:
    settings = only(assembly, "AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]
    assert not settings.get("DetailedMetricsEnabled")
    settings = only(everything, "AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]
    assert settings["DetailedMetricsEnabled"]


def test_a_budget_counts_what_has_the_tag_of_the_stack_and_notifies_the_topic(
    assembly: Assembly, everything: Assembly
) -> None:
    assert assembly.of_kind("AWS::Budgets::Budget") == {}
    (topic,) = everything.of_kind("AWS::SNS::Topic")
    found = only(everything, "AWS::Budgets::Budget")
    budget = found["Budget"]
    assert budget["BudgetLimit"] == {"Amount": 20, "Unit": "USD"}
    assert [text(one) for one in budget["CostFilters"]["TagKeyValue"]] == ["user:wavecrawl$wavecrawl-eu-west-1"]
    notifications = found["NotificationsWithSubscribers"]
    assert {one["Notification"]["NotificationType"] for one in notifications} == {"ACTUAL", "FORECASTED"}
    assert all(one["Subscribers"] == [{"SubscriptionType": "SNS", "Address": {"Ref": topic}}] for one in notifications)


@pytest.mark.parametrize(
    "kind",
    [
        *("AWS::Lambda::Function", "AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue"),
        *("AWS::StepFunctions::StateMachine", "AWS::ApiGatewayV2::Stage", "AWS::Logs::LogGroup"),
        *("AWS::SecretsManager::Secret", "AWS::CloudWatch::Alarm"),
    ],
)
def test_resources_that_cost_have_the_tag(assembly: Assembly, kind: str) -> None:
    found = properties(assembly, kind)
    assert found
    for resource in found:
        tags = resource["Tags"]
        pairs = tags.items() if isinstance(tags, dict) else [(tag["Key"], tag["Value"]) for tag in tags]
        assert {key: text(value) for key, value in pairs}["wavecrawl"] == "wavecrawl-eu-west-1"


def variables_of(function: dict[str, Any]) -> dict[str, str]:
    properties = function.get("Properties", function)
    variables: dict[str, str] = properties["Environment"]["Variables"]
    return variables


def traced_functions(assembly: Assembly) -> set[str]:
    return {
        variables_of(function)["POWERTOOLS_SERVICE_NAME"]
        for function in assembly.of_kind("AWS::Lambda::Function").values()
        if function["Properties"].get("TracingConfig", {}).get("Mode") == "Active"
    }
