"""The state machine's definition, made from infra/state_machine/crawl.asl.json.

`python -m infra.definition FILE` writes the definition of the default deployment to FILE, for validators.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from infra.config import Config
from wavecrawl import errors

SOURCE: Final = Path(__file__).resolve().parent / "state_machine" / "crawl.asl.json"

STEPS: Final = {
    "OpenCrawl": "open_crawl",
    "RunWave": "run_wave",
    "ReadSitemaps": "read_sitemaps",
    "FinishCrawl": "finish_crawl",
    "FailCrawl": "fail_crawl",
    "Notify": "notify",
}
"""The functions that the definition invokes, by their substitution."""

LARGE: Final = ("PlanLargeWave", "FinishLargeCrawl", "FargateHasRoom?", "WaitForFargate", "NoFargateCapacity")
"""The states that only deployments with the setting `large_crawls` have."""

FARGATE_BUSY: Final = (
    "AmazonECS.Unknown",
    "ECS.AmazonECSException",
    "ECS.LimitExceededException",
    "ECS.SdkClientException",
    "ECS.ServerException",
    "ECS.ThrottlingException",
)
"""Errors of `ecs:runTask.sync` that mean that Fargate could not start the task now.

If the response of RunTask lists failures, Step Functions reports AmazonECS.Unknown
(https://docs.aws.amazon.com/step-functions/latest/dg/connect-ecs.html), and for a lack of capacity also
ECS.AmazonECSException (https://repost.aws/knowledge-center/ecs-fargate-runtask-capacity). The state machine also looks
for the messages of both reasons, and for tasks that stopped before they ran (`TaskFailedToStart`,
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_Task.html), which are reported as States.TaskFailed.
"""

FARGATE_WAITS: Final = 15
"""How often a task is started again: 30, 60, 120 and 240 s, then 300 s eleven times, an hour in all."""

_TASK: Final = {
    "Cluster": "arn:aws:ecs:us-east-1:000000000000:cluster/wavecrawl",
    "FinishTask": "wavecrawl-finish-large-crawl",
    "PublicIp": "ENABLED",
    "Subnet1": "subnet-0",
    "Subnet2": "subnet-1",
    "SecurityGroup1": "sg-0",
}

_OWN_SUBNETS: Final = 2
_OWN_GROUPS: Final = 1
"""Subnets and security groups of a network that the deployment makes."""

THROTTLING: Final[Mapping[str, object]] = {
    "ErrorEquals": [
        "Lambda.TooManyRequestsException",
        "StepFunctions.ThrottlingException",
        "StepFunctions.ExecutionLimitExceeded",
        "StepFunctions.ExecutionLimitExceededException",
    ],
    "IntervalSeconds": 2,
    "BackoffRate": 2,
    "MaxDelaySeconds": 300,
    "MaxAttempts": 150,
    "JitterStrategy": "FULL",
}
"""The retrier of calls that AWS rejects because too many run.

No work is lost by them, and they end when other functions end, so they are retried for about six hours: the first eight
delays double, and the others are 150 s on average. Lambda retries its own asynchronous invocations by the same delays
and for as long: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html. The retries count as
rounds, so they cannot fill the history of an execution (`max_waves_per_execution`).
https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html
"""

_LAMBDA_FAULTS: Final = (
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
)
"""Errors of the Lambda service itself: https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html."""


def retry() -> list[dict[str, object]]:
    """Return the `Retry` field of every task that invokes a function.

    Step Functions matches the names of error classes and does not know base classes, so each class is listed.
    `States.TaskFailed` matches every other error except a time-out. So it matches `Lambda.Unknown`, the error of a
    function whose process ended: https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html,
    https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html
    """
    return [
        {"ErrorEquals": _names(errors.PermanentError), "MaxAttempts": 0},
        {**THROTTLING},
        {
            "ErrorEquals": [*_names(errors.TransientError), *_LAMBDA_FAULTS],
            "IntervalSeconds": 2,
            "BackoffRate": 2,
            "MaxDelaySeconds": 60,
            "MaxAttempts": 6,
            "JitterStrategy": "FULL",
        },
        {
            "ErrorEquals": ["States.TaskFailed"],
            "IntervalSeconds": 5,
            "BackoffRate": 2,
            "MaxAttempts": 2,
            "JitterStrategy": "FULL",
        },
    ]


def task_retry() -> list[dict[str, object]]:
    """Return the `Retry` field of Fargate tasks. Those that could not be started have a loop of their own."""
    return [
        {"ErrorEquals": [*FARGATE_BUSY], "MaxAttempts": 0},
        {**THROTTLING},
        {
            "ErrorEquals": ["States.TaskFailed"],
            "IntervalSeconds": 5,
            "BackoffRate": 2,
            "MaxAttempts": 2,
            "JitterStrategy": "FULL",
        },
    ]


def definition(config: Config) -> str:
    """Return the definition with this deployment's numbers. CloudFormation fills in the functions' ARNs.

    In the file a number or a list is a string such as "${WaveTimeout}", so that the file is valid JSON. Inside an
    expression, the substitution has no quotation marks of its own.
    """
    text = SOURCE.read_text(encoding="utf-8").replace('"${Retry}"', json.dumps(retry()))
    text = text.replace('"${Throttling}"', json.dumps(THROTTLING)).replace('"${TaskRetry}"', json.dumps(task_retry()))
    text = text.replace("${FargateBusy}", ", ".join(f"'{name}'" for name in FARGATE_BUSY))
    for name, values in (
        ("Subnet", config.subnets or ("",) * _OWN_SUBNETS),
        ("SecurityGroup", config.security_groups or ("",) * _OWN_GROUPS),
    ):
        listed = [f"${{{one}}}" for one in placeholders(name, values)]
        text = text.replace(f'"${{{name}s}}"', json.dumps(listed))
    numbers = {
        "WaveTimeout": config.wave_timeout,
        "MaxResumes": config.max_resumes,
        "MaxWaves": config.max_waves_per_execution,
        "FargateWaits": FARGATE_WAITS,
    }
    for name, value in numbers.items():
        text = text.replace(f'"${{{name}}}"', str(value)).replace(f"${{{name}}}", str(value))
    machine = json.loads(text)
    if not config.large_crawls:
        for name in LARGE:
            del machine["States"][name]
        for state in machine["States"].values():
            if "Choices" in state:
                state["Choices"] = [choice for choice in state["Choices"] if choice["Next"] not in LARGE]
    return json.dumps(machine, indent=1, ensure_ascii=False)


def placeholders(name: str, values: Sequence[str]) -> dict[str, str]:
    """Return the substitutions of a list, as CloudFormation substitutes no lists: Subnet1, Subnet2 and so on."""
    return {f"{name}{number}": value for number, value in enumerate(values, 1)}


def substituted(text: str, substitutions: Mapping[str, str]) -> str:
    """Return the definition with `substitutions` filled in as CloudFormation does."""
    for name, value in substitutions.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def example() -> str:
    """Return the definition of the default deployment, with made-up ARNs."""
    arns = {step: f"arn:aws:lambda:us-east-1:000000000000:function:{name}" for step, name in STEPS.items()}
    return substituted(definition(Config(large_crawls=True)), arns | _TASK)


def _names(base: type[errors.WavecrawlError]) -> list[str]:
    """Return the names of an error class and of all classes derived from it."""
    return [name for name, found in vars(errors).items() if isinstance(found, type) and issubclass(found, base)]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(example(), encoding="utf-8")
