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


def test_by_default_an_alarm_says_that_a_user_waits_work_is_lost_or_money_is_spent(assembly: Assembly) -> None:
    alarms = {
        alarm["AlarmName"].removeprefix("wavecrawl-"): alarm for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
    }
    concerns = {name: alarm["AlarmDescription"].partition(": ")[0] for name, alarm in alarms.items()}
    assert concerns == {
        **dict.fromkeys(("server-errors", "fetch-queue-age"), "A user waits"),
        **dict.fromkeys(
            ("failed-crawls", "lost-pages", "undelivered-events", "deliveries-dead-letters"), "Work is lost"
        ),
        **dict.fromkeys(("crawl-dollars", "api-requests"), "Money"),
    }
    assert len(alarms) <= FREE_ALARMS
    for name, alarm in alarms.items():
        assert alarm["AlarmDescription"].endswith(f" More: docs/operations.md#{name}")
        assert (
            len(alarm["AlarmDescription"]) <= 1_024
        )  # https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html


def test_a_failed_crawl_of_an_operator_is_a_failed_execution(assembly: Assembly) -> None:
    """A crawl whose root cannot be crawled fails, but not its execution (tests/infra/test_state_machine.py)."""
    alarms = {alarm["AlarmName"]: alarm for alarm in properties(assembly, "AWS::CloudWatch::Alarm")}
    failed = alarms["wavecrawl-failed-crawls"]
    assert (failed["Namespace"], failed["MetricName"]) == ("AWS/States", "ExecutionsFailed")


def test_the_limits_of_the_alarms_about_money_are_those_of_a_day(assembly: Assembly) -> None:
    alarms = {alarm["MetricName"]: alarm for alarm in properties(assembly, "AWS::CloudWatch::Alarm")}
    for metric, most in (("CrawlUsd", 10), ("Count", 50 * 86_400 / 4)):  # alarm_usd_a_day, a quarter of api_rate
        alarm = alarms[metric]
        assert (alarm["Period"], alarm["Statistic"], alarm["Threshold"]) == (86_400, "Sum", most)


def test_more_alarms_name_failed_and_stopped_crawls_errors_throttles_and_old_messages(everything: Assembly) -> None:
    alarms = properties(everything, "AWS::CloudWatch::Alarm")
    watched = {(alarm["Namespace"], alarm["MetricName"]) for alarm in alarms}
    assert watched == {
        ("AWS/States", "ExecutionsFailed"),
        ("AWS/States", "ExecutionsAborted"),
        ("AWS/Lambda", "Errors"),
        ("AWS/Lambda", "Throttles"),
        ("AWS/DynamoDB", "ReadThrottleEvents"),
        ("AWS/DynamoDB", "WriteThrottleEvents"),
        ("AWS/ApiGateway", "5xx"),
        ("AWS/ApiGateway", "Count"),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        ("wavecrawl/wavecrawl", "BatchesFailed"),
        ("wavecrawl/wavecrawl", "CrawlUsd"),
        ("wavecrawl/wavecrawl", "FoldsFailed"),
        ("wavecrawl/wavecrawl", "IndexingsFailed"),
        ("wavecrawl/wavecrawl", "DeliveryMessagesFailed"),
        ("wavecrawl/wavecrawl", "PagesLost"),
    }


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_errors_and_throttles_of_every_function_raise_an_alarm(everything: Assembly, metric: str) -> None:
    watched = {
        alarm["Dimensions"][0]["Value"]["Ref"]
        for alarm in properties(everything, "AWS::CloudWatch::Alarm")
        if alarm["MetricName"] == metric
    }
    assert watched == set(everything.of_kind("AWS::Lambda::Function"))


def test_failures_that_a_function_reports_to_its_queue_raise_an_alarm(everything: Assembly) -> None:
    """Lambda does not count them as errors. Each such function has a metric of its own for them."""
    functions = everything.of_kind("AWS::Lambda::Function")
    reporting = {
        variables_of(functions[mapping["FunctionName"]["Ref"]])["POWERTOOLS_SERVICE_NAME"]
        for mapping in properties(everything, "AWS::Lambda::EventSourceMapping")
        if "ReportBatchItemFailures" in mapping.get("FunctionResponseTypes", [])
    }
    assert reporting == {
        alarm["Dimensions"][0]["Value"]
        for alarm in properties(everything, "AWS::CloudWatch::Alarm")
        if alarm["Namespace"].startswith("wavecrawl/") and alarm["MetricName"].endswith("Failed")
    }


def test_alarms_and_dashboard_show_the_metrics_that_the_functions_of_this_stack_publish(everything: Assembly) -> None:
    functions = everything.of_kind("AWS::Lambda::Function").values()
    assert {variables_of(function)["POWERTOOLS_METRICS_NAMESPACE"] for function in functions} == {"wavecrawl/wavecrawl"}
    services = {variables_of(function)["POWERTOOLS_SERVICE_NAME"] for function in functions}
    shown = [metric for metric in shown_metrics(everything) if metric[0].startswith("wavecrawl")]
    assert shown
    assert {(namespace, dimension) for namespace, _, dimension, *_ in shown} == {("wavecrawl/wavecrawl", "service")}
    assert {metric[3] for metric in shown} <= services


@slow
def test_metrics_of_two_stacks_do_not_add_up(other: Assembly) -> None:
    functions = other.of_kind("AWS::Lambda::Function").values()
    assert {variables_of(function)["POWERTOOLS_METRICS_NAMESPACE"] for function in functions} == {
        "wavecrawl/Crawls-of-2026"
    }


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


def test_the_dashboard_shows_every_function(everything: Assembly) -> None:
    body = json.dumps(only(everything, "AWS::CloudWatch::Dashboard")["DashboardBody"])
    assert all(function in body for function in everything.of_kind("AWS::Lambda::Function"))


def test_the_dashboard_may_be_one_of_the_free_ones(everything: Assembly) -> None:
    """The first three dashboards of an account with at most 50 metrics each: https://aws.amazon.com/cloudwatch/pricing/."""
    shown = shown_metrics(everything)
    assert 0 < len(shown) <= 50
    assert all("expression" not in metric[0] for metric in shown), "a search shows a number of metrics not known here"


def test_the_name_of_the_dashboard_is_unique_in_the_account(everything: Assembly) -> None:
    """Dashboards are global, so the name has stack and region."""
    assert text(only(everything, "AWS::CloudWatch::Dashboard")["DashboardName"]) == "wavecrawl-eu-west-1"


def test_the_dashboard_exists_on_request_only(assembly: Assembly) -> None:
    """It costs more than everything else of an idle deployment."""
    assert assembly.of_kind("AWS::CloudWatch::Dashboard") == {}
    assert "DashboardUrl" not in assembly.template["Outputs"]


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
