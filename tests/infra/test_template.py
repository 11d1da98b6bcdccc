"""What the template promises, by behaviour."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from infra.config import LEASE_SECONDS, Config
from tests.support.synthesis import ROOT, Assembly, default_context, synthesized

SQS_REFUSAL = {
    "Effect": "Deny",
    "Principal": {"AWS": "*"},
    "Action": "sqs:*",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}


def properties(assembly: Assembly, kind: str) -> list[dict[str, Any]]:
    return [found["Properties"] for found in assembly.of_kind(kind).values()]


def only(assembly: Assembly, kind: str) -> dict[str, Any]:
    (found,) = properties(assembly, kind)
    return found


class TestData:
    def test_the_bucket_is_closed_to_the_public(self, assembly: Assembly) -> None:
        closed = {"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"}
        bucket = only(assembly, "AWS::S3::Bucket")
        assert bucket["PublicAccessBlockConfiguration"] == dict.fromkeys(closed, True)
        assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}

    def test_the_bucket_s_policy_does_nothing_but_refuse_what_is_not_tls(self, assembly: Assembly) -> None:
        statements = only(assembly, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
        assert {statement["Effect"] for statement in statements} == {"Deny"}
        assert [statement["Condition"] for statement in statements] == [
            {"Bool": {"aws:SecureTransport": "false"}},
            {"NumericLessThan": {"s3:TlsVersion": 1.2}},
        ]

    def test_data_is_encrypted_with_keys_that_cost_nothing(self, assembly: Assembly) -> None:
        (rule,) = only(assembly, "AWS::S3::Bucket")["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
        assert only(assembly, "AWS::DynamoDB::Table")["SSESpecification"] == {"SSEEnabled": False}  # its own key
        assert all(queue["SqsManagedSseEnabled"] for queue in properties(assembly, "AWS::SQS::Queue"))

    def test_exports_are_versioned_and_leftovers_expire(self, assembly: Assembly) -> None:
        bucket = only(assembly, "AWS::S3::Bucket")
        assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
        rules = {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}
        assert rules["parts-of-uploads-that-broke-off"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
        assert rules["snapshots-of-crawls-long-over"]["TagFilters"] == [{"Key": "lifetime", "Value": "crawl"}]
        assert rules["snapshots-of-crawls-long-over"]["ExpirationInDays"] == 30
        assert rules["versions-that-were-replaced"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}

    def test_nothing_expires_that_is_not_tagged_for_it(self, assembly: Assembly) -> None:
        rules = only(assembly, "AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]
        assert all("TagFilters" in rule for rule in rules if "ExpirationInDays" in rule)

    def test_the_table_can_be_restored_to_any_moment(self, assembly: Assembly) -> None:
        table = only(assembly, "AWS::DynamoDB::Table")
        assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
        assert table["DeletionProtectionEnabled"] is True
        assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
        assert table["BillingMode"] == "PAY_PER_REQUEST"

    @pytest.mark.parametrize("kind", ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"])
    def test_data_outlives_the_stack(self, assembly: Assembly, kind: str) -> None:
        for resource in assembly.of_kind(kind).values():
            assert resource["DeletionPolicy"] == "Retain"
            assert resource["UpdateReplacePolicy"] == "Retain"

    @pytest.mark.parametrize("kind", ["AWS::SQS::Queue", "AWS::Logs::LogGroup"])
    def test_what_is_no_data_goes_with_the_stack(self, assembly: Assembly, kind: str) -> None:
        assert {resource["DeletionPolicy"] for resource in assembly.of_kind(kind).values()} == {"Delete"}

    def test_an_operator_may_let_data_go_with_the_stack(self) -> None:
        temporary = synthesized(keep_data="false")
        for kind in ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"):
            assert {found["DeletionPolicy"] for found in temporary.of_kind(kind).values()} == {"Delete"}
        assert only(temporary, "AWS::DynamoDB::Table")["DeletionProtectionEnabled"] is False

    def test_the_secret_has_the_shape_its_readers_expect_and_lets_nobody_in(self, assembly: Assembly) -> None:
        generated = only(assembly, "AWS::SecretsManager::Secret")["GenerateSecretString"]
        assert json.loads(generated["SecretStringTemplate"]) == {
            "api_keys": [],
            "webhook_secrets": [],
            "qstash_keys": [],
        }


class TestQueues:
    def test_every_queue_is_a_dead_letter_queue_or_has_one(self, assembly: Assembly) -> None:
        queues = assembly.of_kind("AWS::SQS::Queue")
        dead = {_redrive(queue) for queue in queues.values()} | _dead_letters_of_events(assembly)
        assert all(id_ in dead or _redrive(queue) in queues for id_, queue in queues.items())

    def test_every_queue_has_an_alarm(self, assembly: Assembly) -> None:
        alarmed = {
            dimension["Value"]["Fn::GetAtt"][0]
            for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
            for dimension in alarm["Dimensions"]
            if dimension["Name"] == "QueueName"
        }
        assert alarmed == set(assembly.of_kind("AWS::SQS::Queue"))

    def test_queues_refuse_what_is_not_tls(self, assembly: Assembly) -> None:
        refusing = set()
        for policy in properties(assembly, "AWS::SQS::QueuePolicy"):
            statements = policy["PolicyDocument"]["Statement"]
            if any(SQS_REFUSAL.items() <= statement.items() for statement in statements):
                refusing |= {queue["Ref"] for queue in policy["Queues"]}
        assert refusing == set(assembly.of_kind("AWS::SQS::Queue"))

    def test_nobody_may_send_to_a_queue_but_roles_and_the_rule(self, assembly: Assembly) -> None:
        allowed = [
            statement
            for policy in properties(assembly, "AWS::SQS::QueuePolicy")
            for statement in policy["PolicyDocument"]["Statement"]
            if statement["Effect"] == "Allow"
        ]
        assert [statement["Principal"] for statement in allowed] == [{"Service": "events.amazonaws.com"}]
        assert "aws:SourceArn" in allowed[0]["Condition"]["ArnEquals"]

    def test_time_outs_fit_one_another(self, assembly: Assembly) -> None:
        fetch = _function(assembly, "fetch-batch")
        queue = next(queue for queue in properties(assembly, "AWS::SQS::Queue") if "RedrivePolicy" in queue)
        assert queue["VisibilityTimeout"] == 6 * fetch["Timeout"]
        assert fetch["Timeout"] <= LEASE_SECONDS <= queue["VisibilityTimeout"]
        assert queue["RedrivePolicy"]["maxReceiveCount"] == 5

    def test_dead_letters_are_kept_longer_than_letters(self, assembly: Assembly) -> None:
        queues = assembly.of_kind("AWS::SQS::Queue")
        for queue in queues.values():
            if dead := _redrive(queue):
                kept = queues[dead]["Properties"]["MessageRetentionPeriod"]
                assert kept > queue["Properties"]["MessageRetentionPeriod"]


class TestFunctions:
    def test_functions_run_on_arm_with_python_3_13_and_are_traced(self, assembly: Assembly) -> None:
        for function in properties(assembly, "AWS::Lambda::Function"):
            assert function["Architectures"] == ["arm64"]
            assert function["Runtime"] == "python3.13"
            assert function["TracingConfig"] == {"Mode": "Active"}
            assert function["LoggingConfig"]["LogFormat"] == "JSON"

    def test_every_function_of_the_template_is_ours(self, assembly: Assembly) -> None:
        folders = {path.parent.name.replace("_", "-") for path in (ROOT / "functions").glob("*/handler.py")}
        names = {function["FunctionName"] for function in properties(assembly, "AWS::Lambda::Function")}
        assert names == {f"wavecrawl-{folder}" for folder in folders}

    def test_only_the_function_that_builds_results_carries_duckdb(self, assembly: Assembly) -> None:
        carrying = {
            function["FunctionName"]
            for function in properties(assembly, "AWS::Lambda::Function")
            if any("Analytics" in layer["Ref"] for layer in function["Layers"])
        }
        assert carrying == {"wavecrawl-finish-crawl"}

    def test_fetch_workers_take_one_batch_each_and_are_bounded(self, assembly: Assembly) -> None:
        mapping = only(assembly, "AWS::Lambda::EventSourceMapping")
        assert mapping["BatchSize"] == 1
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert mapping["ScalingConfig"] == {"MaximumConcurrency": 10}
        assert _function(assembly, "fetch-batch")["ReservedConcurrentExecutions"] == 10

    def test_callers_cannot_take_the_concurrency_of_crawls(self, assembly: Assembly) -> None:
        reserved = {name: _function(assembly, name)["ReservedConcurrentExecutions"] for name in ("webhook", "api")}
        assert reserved == {"webhook": 10, "api": 10}

    def test_an_account_with_a_small_quota_can_do_without_reservations(self) -> None:
        small = synthesized(reserve_concurrency="false")
        assert not any(
            "ReservedConcurrentExecutions" in function for function in properties(small, "AWS::Lambda::Function")
        )

    def test_functions_know_everything_the_contract_names(self, assembly: Assembly) -> None:
        for function in properties(assembly, "AWS::Lambda::Function"):
            assert set(function["Environment"]["Variables"]) == {
                *("WAVECRAWL_TABLE", "WAVECRAWL_BUCKET", "WAVECRAWL_FETCH_QUEUE_URL", "WAVECRAWL_STATE_MACHINE_ARN"),
                *("WAVECRAWL_BUS", "WAVECRAWL_SECRET_ID", "WAVECRAWL_CONTACT", "WAVECRAWL_ALLOWED_ADDRESSES"),
                *("WAVECRAWL_QSTASH_URL", "WAVECRAWL_MAX_BODY_BYTES", "WAVECRAWL_TENANT", "POWERTOOLS_SERVICE_NAME"),
                *("POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_LOG_LEVEL"),
            }


class TestEvents:
    def test_executions_that_were_stopped_reach_fail_crawl(self, assembly: Assembly) -> None:
        rule = only(assembly, "AWS::Events::Rule")
        assert rule["EventPattern"]["detail"]["status"] == ["ABORTED", "TIMED_OUT", "FAILED"]
        assert rule["EventPattern"]["source"] == ["aws.states"]
        (target,) = rule["Targets"]
        assert "FailCrawl" in target["Arn"]["Fn::GetAtt"][0]
        assert "UndeliveredEvents" in target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]

    def test_events_that_fail_crawl_cannot_handle_are_kept(self, assembly: Assembly) -> None:
        invocation = only(assembly, "AWS::Lambda::EventInvokeConfig")
        kept = invocation["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
        assert "UndeliveredEvents" in kept

    def test_the_state_machine_is_traced_and_logs_no_task_tokens(self, assembly: Assembly) -> None:
        machine = only(assembly, "AWS::StepFunctions::StateMachine")
        assert machine["TracingConfiguration"] == {"Enabled": True}
        assert machine["LoggingConfiguration"]["Level"] == "ALL"
        assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False

    def test_schedules_will_have_a_group_of_their_own(self, assembly: Assembly) -> None:
        assert only(assembly, "AWS::Scheduler::ScheduleGroup") == {"Name": "wavecrawl"}


class TestApi:
    def test_each_route_is_named_and_there_is_no_other(self, assembly: Assembly) -> None:
        assert {route["RouteKey"] for route in properties(assembly, "AWS::ApiGatewayV2::Route")} == {
            "POST /webhooks/crawl",
            "POST /webhooks/qstash",
            "POST /v1/crawls",
            "GET /v1/crawls",
            "GET /v1/crawls/{crawl}",
            "POST /v1/crawls/{crawl}/cancel",
            "GET /v1/crawls/{crawl}/exports",
            "GET /health",
        }

    def test_requests_are_bounded_and_logged_without_their_secrets(self, assembly: Assembly) -> None:
        stage = only(assembly, "AWS::ApiGatewayV2::Stage")
        throttle = stage["DefaultRouteSettings"]
        assert (throttle["ThrottlingRateLimit"], throttle["ThrottlingBurstLimit"]) == (50, 100)
        logged = json.loads(stage["AccessLogSettings"]["Format"])
        assert not [value for value in logged.values() if "authorization" in value.lower() or "ip" in value.lower()]


class TestWatching:
    def test_logs_are_kept_as_long_as_the_operator_wants(self, assembly: Assembly) -> None:
        assert {group["RetentionInDays"] for group in properties(assembly, "AWS::Logs::LogGroup")} == {30}

    def test_every_function_logs_to_a_group_of_this_stack(self, assembly: Assembly) -> None:
        groups = assembly.of_kind("AWS::Logs::LogGroup")
        for function in properties(assembly, "AWS::Lambda::Function"):
            group = groups[function["LoggingConfig"]["LogGroup"]["Ref"]]
            assert group["Properties"]["LogGroupName"] == f"/aws/lambda/{function['FunctionName']}"

    def test_failed_and_stopped_crawls_throttles_and_server_errors_raise_alarms(self, assembly: Assembly) -> None:
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

    def test_throttles_of_every_function_raise_an_alarm(self, assembly: Assembly) -> None:
        watched = {
            alarm["Dimensions"][0]["Value"]["Ref"]
            for alarm in properties(assembly, "AWS::CloudWatch::Alarm")
            if alarm["MetricName"] == "Throttles"
        }
        assert watched == set(assembly.of_kind("AWS::Lambda::Function"))

    def test_alarms_tell_the_topic_when_they_begin_and_when_they_end(self, assembly: Assembly) -> None:
        (topic,) = assembly.of_kind("AWS::SNS::Topic")
        for alarm in properties(assembly, "AWS::CloudWatch::Alarm"):
            assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]

    def test_a_mailbox_is_told_where_one_is_given(self, assembly: Assembly) -> None:
        assert properties(assembly, "AWS::SNS::Subscription") == []
        told = only(synthesized(alarm_email="ops@example.com"), "AWS::SNS::Subscription")
        assert (told["Protocol"], told["Endpoint"]) == ("email", "ops@example.com")

    def test_the_dashboard_shows_every_function(self, assembly: Assembly) -> None:
        body = json.dumps(only(assembly, "AWS::CloudWatch::Dashboard")["DashboardBody"])
        assert all(function in body for function in assembly.of_kind("AWS::Lambda::Function"))


class TestChecks:
    def test_cdk_nag_looked_and_has_no_finding_that_is_not_explained(self, assembly: Assembly) -> None:
        """Synthesis fails where it has one; the acknowledgements it used show that it looked."""
        report = json.loads((assembly.folder / "validation-report.json").read_text(encoding="utf-8"))
        assert report["pluginReports"] == []

    def test_cfn_lint_has_nothing_to_say(self, assembly: Assembly) -> None:
        lint = Path(sys.executable).with_name("cfn-lint")
        template = assembly.folder / "wavecrawl.template.json"
        configured = ["--config-file", str(ROOT / "infra" / ".cfnlintrc.yaml")]
        done = subprocess.run([lint, *configured, "--", template], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")

    def test_the_template_needs_no_account_and_no_region(self, assembly: Assembly) -> None:
        manifest = json.loads((assembly.folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["artifacts"]["wavecrawl"]["environment"] == "aws://unknown-account/unknown-region"

    def test_outputs_are_those_the_tools_read(self, assembly: Assembly) -> None:
        assert set(assembly.template["Outputs"]) == {
            *("ApiUrl", "TableName", "BucketName", "StateMachineArn", "FetchQueueUrl", "FetchDlqUrl", "SecretArn"),
            "BusName",
        }

    def test_cdk_json_gives_and_explains_every_setting_with_its_default(self) -> None:
        ours = {name: value for name, value in default_context().items() if name in Config.names()}
        assert Config.from_context(ours) == Config()
        assert set(ours) == set(Config.names())
        explained = json.loads((ROOT / "infra" / "cdk.json").read_text(encoding="utf-8"))["//"]
        assert set(explained) - {"how"} == set(Config.names())


def _redrive(queue: dict[str, Any]) -> str:
    policy = queue["Properties"].get("RedrivePolicy")
    return str(policy["deadLetterTargetArn"]["Fn::GetAtt"][0]) if policy else ""


def _dead_letters_of_events(assembly: Assembly) -> set[str]:
    return {
        target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]
        for rule in properties(assembly, "AWS::Events::Rule")
        for target in rule["Targets"]
    }


def _function(assembly: Assembly, name: str) -> dict[str, Any]:
    functions = properties(assembly, "AWS::Lambda::Function")
    return next(function for function in functions if function["FunctionName"] == f"wavecrawl-{name}")
