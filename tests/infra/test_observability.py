"""Logs, metrics, alarms and the dashboard of an operator."""

import json

from tests.infra.reading import only, properties
from tests.support.synthesis import Assembly, synthesized


def test_logs_are_kept_as_long_as_the_operator_wants(assembly: Assembly) -> None:
    assert {group["RetentionInDays"] for group in properties(assembly, "AWS::Logs::LogGroup")} == {30}


def test_every_function_logs_to_a_group_of_this_stack(assembly: Assembly) -> None:
    groups = assembly.of_kind("AWS::Logs::LogGroup")
    functions = properties(assembly, "AWS::Lambda::Function")
    assert functions
    for function in functions:
        group = groups[function["LoggingConfig"]["LogGroup"]["Ref"]]
        assert group["Properties"]["LogGroupName"] == f"/aws/lambda/{function['FunctionName']}"


def test_failed_and_stopped_crawls_throttles_and_server_errors_raise_alarms(assembly: Assembly) -> None:
    alarms = properties(assembly, "AWS::CloudWatch::Alarm")
    watched = {(alarm["Namespace"], alarm["MetricName"]) for alarm in alarms}
    assert watched == {
        ("AWS/States", "ExecutionsFailed"),
        ("AWS/States", "ExecutionsAborted"),
        ("AWS/Lambda", "Throttles"),
        ("AWS/DynamoDB", "ReadThrottleEvents"),
        ("AWS/DynamoDB", "WriteThrottleEvents"),
        ("AWS/ApiGateway", "5xx"),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
    }


def test_throttles_of_every_function_raise_an_alarm(assembly: Assembly) -> None:
    watched = {
        alarm["Dimensions"][0]["Value"]["Ref"]
        for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
        if alarm["MetricName"] == "Throttles"
    }
    assert watched == set(assembly.of_kind("AWS::Lambda::Function"))


def test_alarms_notify_the_topic_at_their_start_and_end(assembly: Assembly) -> None:
    (topic,) = assembly.of_kind("AWS::SNS::Topic")
    alarms = properties(assembly, "AWS::CloudWatch::Alarm")
    assert alarms
    for alarm in alarms:
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]


def test_alarms_are_mailed_if_an_address_is_given(assembly: Assembly) -> None:
    assert properties(assembly, "AWS::SNS::Subscription") == []
    subscription = only(synthesized(alarm_email="ops@example.com"), "AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_the_dashboard_shows_everyfunction_of(assembly: Assembly) -> None:
    body = json.dumps(only(assembly, "AWS::CloudWatch::Dashboard")["DashboardBody"])
    assert all(function in body for function in assembly.of_kind("AWS::Lambda::Function"))
