"""The exact permissions of each role, written out."""

import pytest
from tests.support.rights import Rights, rights_of, role_of
from tests.support.synthesis import Assembly

X_RAY: Rights = {"*": {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}}
OBJECTS = "Bucket/tenants/*"
TABLES = "Bucket/tables/*"
MEMORY = "Bucket/tenants/*/memory/*"
EXPORTS = "Bucket/tenants/*/exports/*"
PUT = ("s3:PutObject", "s3:AbortMultipartUpload")
URL_LISTS: Rights = {
    "Bucket/tenants/*/frontier/urls.msgpack": {*PUT, "s3:PutObjectTagging"},
    "Bucket/tenants/*/frontier/list-*.txt": {*PUT, "s3:PutObjectTagging"},
}
UPLOADS = "Bucket/uploads/*"
LISTS = "Bucket/tenants/*/lists/*.txt.gz"
EXECUTIONS = "arn:AWS::Partition:states:AWS::Region:AWS::AccountId:execution:wavecrawl:*"
SCHEDULES = "schedule/wavecrawl/*"
SITE_SECRETS = "secret:wavecrawl/sites/*"
WEBHOOK_KEY: Rights = {
    "secret:wavecrawl/webhook-key-??????": {"secretsmanager:GetSecretValue", "secretsmanager:CreateSecret"}
}
READS_SITE_SECRETS: Rights = {SITE_SECRETS: {"secretsmanager:GetSecretValue"}}


def logs(name: str) -> Rights:
    return {f"{name}Logs": {"logs:CreateLogStream", "logs:PutLogEvents"}}


def table(*actions: str) -> Rights:
    return {"Table": {f"dynamodb:{action}" for action in actions}}


def catalog(*actions: str) -> Rights:
    tables = [
        f"table/wavecrawl/{name}"
        for name in ("pages", "edges", "texts", "media", "media_uses", "checks", "resource_uses", "urls")
    ]
    return {
        resource: {f"glue:{action}" for action in actions} for resource in ("catalog", "database/wavecrawl", *tables)
    }


RIGHTS: dict[str, Rights] = {
    "webhook": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        **URL_LISTS,
        LISTS: {"s3:GetObject"},
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        "Keys": {"secretsmanager:GetSecretValue"},
        **logs("Webhook"),
    },
    "api": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"),
        **URL_LISTS,
        UPLOADS: {*PUT, "s3:DeleteObject"},
        LISTS: {"s3:PutObjectTagging"},
        OBJECTS: {"s3:GetObject", "s3:DeleteObject"},
        "Bucket/tenants/*/records/*": {*PUT},
        "Bucket/tenants/*/warc/*": {*PUT},
        TABLES: {"s3:DeleteObject"},
        "Bucket": {"s3:ListBucket"},
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        "Keys": {"secretsmanager:GetSecretValue"},
        SCHEDULES: {"scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"},
        "SchedulesRole": {"iam:PassRole"},
        **WEBHOOK_KEY,
        SITE_SECRETS: {"secretsmanager:CreateSecret", "secretsmanager:PutSecretValue", "secretsmanager:DeleteSecret"},
        "Bus": {"events:PutEvents"},
        "Deliveries": {"sqs:SendMessage"},
        "Index": {"sqs:SendMessage"},
        **catalog("DeletePartition"),
        **logs("Api"),
    },
    "results": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject"},
        TABLES: {"s3:GetObject"},
        MEMORY: {*PUT},
        "Bucket/tenants/*/screenshots/*": {"s3:DeleteObject"},
        "Bucket/tenants/*/media/*": {"s3:DeleteObject"},
        "Bucket/tables/hidden/*": {*PUT},
        UPLOADS: {"s3:GetObject", "s3:DeleteObject"},
        LISTS: {*PUT, "s3:PutObjectTagging"},
        "Bucket": {"s3:ListBucket"},
        "Keys": {"secretsmanager:GetSecretValue"},
        "Index": {"sqs:SendMessage"},
        **logs("Results"),
    },
    "start-site": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        **URL_LISTS,
        LISTS: {"s3:GetObject"},
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        SCHEDULES: {"scheduler:DeleteSchedule"},
        "UndeliveredEvents": {"sqs:SendMessage"},
        **logs("StartSite"),
        **X_RAY,
    },
    "open-crawl": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject"},
        "Bucket": {"s3:ListBucket"},
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        "Bus": {"events:PutEvents"},
        **READS_SITE_SECRETS,
        **logs("OpenCrawl"),
        **X_RAY,
    },
    "run-wave": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject", *PUT, "s3:PutObjectTagging"},
        "Bucket": {"s3:ListBucket"},
        "Fetch": {"sqs:SendMessage", "sqs:GetQueueAttributes"},
        "Render": {"sqs:SendMessage", "sqs:GetQueueAttributes"},
        "Media": {"sqs:SendMessage", "sqs:GetQueueAttributes"},
        "Folds": {"sqs:SendMessage"},
        "StateMachine": {"states:SendTaskSuccess"},
        "Bus": {"events:PutEvents"},
        **READS_SITE_SECRETS,
        **logs("RunWave"),
        **X_RAY,
    },
    "fetch-batch": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject", *PUT},
        "Bucket": {"s3:ListBucket"},
        "Fetch": {
            "sqs:SendMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
        },
        "StateMachine": {"states:SendTaskSuccess"},
        **READS_SITE_SECRETS,
        **logs("FetchBatch"),
        **X_RAY,
    },
    "render-batch": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"),
        OBJECTS: {"s3:GetObject", *PUT},
        "Bucket": {"s3:ListBucket"},
        "Render": {
            "sqs:SendMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
        },
        "StateMachine": {"states:SendTaskSuccess"},
        **READS_SITE_SECRETS,
        **logs("RenderBatch"),
        **X_RAY,
    },
    "process-media": {
        **table("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject", *PUT},
        "Bucket": {"s3:ListBucket"},
        "Media": {
            "sqs:SendMessage",
            "sqs:ChangeMessageVisibility",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
        },
        "StateMachine": {"states:SendTaskSuccess"},
        **READS_SITE_SECRETS,
        **logs("ProcessMedia"),
        **X_RAY,
    },
    "read-sitemaps": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject", *PUT},
        "Bucket": {"s3:ListBucket"},
        **READS_SITE_SECRETS,
        **logs("ReadSitemaps"),
        **X_RAY,
    },
    "fold-wave": {
        **table("GetItem", "Query", "UpdateItem"),
        OBJECTS: {"s3:GetObject"},
        TABLES: {"s3:GetObject", *PUT},
        MEMORY: {*PUT, "s3:DeleteObject"},
        "Bucket": {"s3:ListBucket"},
        **catalog("CreatePartition"),
        "Folds": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
        **logs("FoldWave"),
        **X_RAY,
    },
    "finish-crawl": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        OBJECTS: {"s3:GetObject", *PUT},
        TABLES: {"s3:GetObject", *PUT},
        MEMORY: {"s3:DeleteObject"},
        "Bucket": {"s3:ListBucket"},
        **catalog("CreatePartition"),
        "Index": {"sqs:SendMessage"},
        **logs("FinishCrawl"),
        **X_RAY,
    },
    "index-site": {
        **table("GetItem", "Query", "UpdateItem"),
        OBJECTS: {"s3:GetObject"},
        TABLES: {"s3:GetObject"},
        EXPORTS: {*PUT},
        "Bucket/tenants/*/knowledge/*": {*PUT},
        "Bucket": {"s3:ListBucket"},
        "Index": {
            "sqs:ChangeMessageVisibility",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
        },
        **logs("IndexSite"),
        **X_RAY,
    },
    "fail-crawl": {
        **table("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        OBJECTS: {"s3:GetObject"},
        "Bucket": {"s3:ListBucket"},
        "StateMachine": {"states:StartExecution"},
        EXECUTIONS: {"states:DescribeExecution"},
        "Bus": {"events:PutEvents"},
        "UndeliveredEvents": {"sqs:SendMessage"},
        **logs("FailCrawl"),
        **X_RAY,
    },
    "deliver": {
        **table("GetItem", "Query", "PutItem"),
        "Deliveries": {
            *("sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage"),
            *("sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"),
        },
        **WEBHOOK_KEY,
        **logs("Deliver"),
        **X_RAY,
    },
    "notify": {
        **table("GetItem", "Query", "PutItem"),
        "Bus": {"events:PutEvents"},
        **logs("Notify"),
        **X_RAY,
    },
}

STATE_MACHINE: Rights = {
    **{
        name: {"lambda:InvokeFunction"}
        for name in ("OpenCrawl", "RunWave", "ReadSitemaps", "FinishCrawl", "FailCrawl", "Notify")
    },
    "StateMachine": {"states:StartExecution"},
    EXECUTIONS: {"states:DescribeExecution"},
    "task-definition/wavecrawl-finish-large-crawl:*": {"ecs:RunTask"},
    "task/wavecrawl/*": {"ecs:StopTask", "ecs:DescribeTasks"},  # of the tasks that it started
    "LargeCrawlsTaskRole": {"iam:PassRole"},
    "LargeCrawlsStartRole": {"iam:PassRole"},
    "arn:AWS::Partition:events:AWS::Region:AWS::AccountId:rule/StepFunctionsGetEventsForECSTaskRule": {
        "events:PutTargets",
        "events:PutRule",
        "events:DescribeRule",
    },
    "*": {
        "logs:CreateLogDelivery",
        "logs:DeleteLogDelivery",
        "logs:DescribeLogGroups",
        "logs:DescribeResourcePolicies",
        "logs:GetLogDelivery",
        "logs:ListLogDeliveries",
        "logs:PutResourcePolicy",
        "logs:UpdateLogDelivery",
        "xray:GetSamplingRules",
        "xray:GetSamplingTargets",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    },
}

SENDS_SOURCE_ACCOUNT = {
    "ecs-tasks.amazonaws.com": "https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html",
    "lambda.amazonaws.com": "https://docs.aws.amazon.com/lambda/latest/dg/permissions-managed-policies.html",
    "scheduler.amazonaws.com": (
        "https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html"
    ),
    "states.amazonaws.com": (
        "https://docs.aws.amazon.com/step-functions/latest/dg/procedure-create-iam-role.html#prevent-cross-service-confused-deputy"
    ),
}
"""Services that send `aws:SourceAccount` when they assume a role, and the page that says so.

A role for another service needs its page here: with a key that the service does not send, it could not assume the role.
"""


@pytest.mark.parametrize("function", RIGHTS)
def test_a_function_has_exactly_the_rights_of(assembly: Assembly, function: str) -> None:
    role = role_of(assembly, f"wavecrawl-{function}")
    assert rights_of(assembly, role) == RIGHTS[function]


def test_no_two_functions_share_a_role(assembly: Assembly) -> None:
    functions = assembly.of_kind("AWS::Lambda::Function").values()
    roles = [function["Properties"]["Role"]["Fn::GetAtt"][0] for function in functions]
    assert len(roles) == len(set(roles))


def test_every_function_of_the_template_is_in_this_table(assembly: Assembly) -> None:
    names = {found["Properties"]["FunctionName"] for found in assembly.of_kind("AWS::Lambda::Function").values()}
    assert names == {f"wavecrawl-{name}" for name in RIGHTS}


def test_the_state_machine_has_exactly_the_rights_of(assembly: Assembly) -> None:
    machine = next(iter(assembly.of_kind("AWS::StepFunctions::StateMachine").values()))
    assert rights_of(assembly, machine["Properties"]["RoleArn"]["Fn::GetAtt"][0]) == STATE_MACHINE


def test_no_role_has_a_managed_policy(assembly: Assembly) -> None:
    roles = assembly.of_kind("AWS::IAM::Role").values()
    assert roles
    for role in roles:
        assert "ManagedPolicyArns" not in role["Properties"]
        assert "Policies" not in role["Properties"]


def test_services_assume_every_role_for_this_account_alone(assembly: Assembly) -> None:
    roles = assembly.of_kind("AWS::IAM::Role").values()
    assert roles
    for role in roles:
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"]["Service"] in SENDS_SOURCE_ACCOUNT
        assert statement["Condition"]["StringEquals"]["aws:SourceAccount"] == {"Ref": "AWS::AccountId"}


def test_schedules_may_start_sites_and_nothing_else(assembly: Assembly) -> None:
    (role,) = [id_ for id_ in assembly.of_kind("AWS::IAM::Role") if id_.startswith("SchedulesRole")]
    assert rights_of(assembly, role) == {
        "function:wavecrawl-start-site": {"lambda:InvokeFunction"},
        "UndeliveredEvents": {"sqs:SendMessage"},
    }


def test_only_schedules_of_the_stacks_own_group_take_their_role(assembly: Assembly) -> None:
    (role,) = [one for id_, one in assembly.of_kind("AWS::IAM::Role").items() if id_.startswith("SchedulesRole")]
    (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "scheduler.amazonaws.com"}
    wanted = statement["Condition"]["StringEquals"]
    assert wanted["aws:SourceAccount"] == {"Ref": "AWS::AccountId"}
    assert wanted["aws:SourceArn"]["Fn::Join"][1][-1] == ":schedule-group/wavecrawl"


def test_roles_are_passed_to_scheduler_and_to_tasks_alone(assembly: Assembly) -> None:
    passed = [
        statement
        for policy in assembly.of_kind("AWS::IAM::Policy").values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == "iam:PassRole"
    ]
    assert {one["Condition"]["StringEquals"]["iam:PassedToService"] for one in passed} == {
        "scheduler.amazonaws.com",
        "ecs-tasks.amazonaws.com",
    }


def test_a_function_may_be_called_by_its_own_api_and_rule_alone(assembly: Assembly) -> None:
    permissions = assembly.of_kind("AWS::Lambda::Permission").values()
    assert permissions
    for permission in permissions:
        properties = permission["Properties"]
        assert properties["Principal"] in {"apigateway.amazonaws.com", "events.amazonaws.com"}
        assert properties["SourceArn"]


def test_a_function_has_one_permission_for_each_service_whatever_the_number_of_routes(assembly: Assembly) -> None:
    """A function's policy may have 20 KB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html."""
    found = [
        (permission["Properties"]["FunctionName"]["Fn::GetAtt"][0], permission["Properties"]["Principal"])
        for permission in assembly.of_kind("AWS::Lambda::Permission").values()
    ]
    assert found
    assert sorted(found) == sorted(set(found))
