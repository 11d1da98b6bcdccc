"""The self-tests of a deployment's functions, called from an operator's machine."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.config import Config
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.faults import code_of
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.application.finding import Finding
from wavecrawl.errors import PermanentError, WavecrawlError

_LONGEST = Config(read_timeout=920, retries={"total_max_attempts": 1})  # a function takes at most 900 s
_THROTTLED = "TooManyRequestsException"


def stack_finding(found: Deployment) -> Finding:
    """Return whether the stack's last operation succeeded."""
    good = found.status.endswith("_COMPLETE") and "ROLLBACK" not in found.status and "DELETE" not in found.status
    if good:
        return Finding(check="stack", detail=found.status)
    return Finding(check="stack", problem=f"its status is {found.status}; see its events in CloudFormation")


def function_findings(found: Deployment, event: Mapping[str, str]) -> Iterator[Finding]:
    """Run the self-test of each function, one after the other, and yield the results. `event` requests it."""
    client = found.session.client("lambda", config=_LONGEST)
    for function in found.output("FunctionNames").split(","):
        check = f"function {function}"
        try:
            answer = _invoked(client, function, event)
        except WavecrawlError as error:
            yield Finding(check=check, problem=str(error))
            continue
        problems = _problems(answer)
        yield Finding(check=check, problem="; ".join(problems), detail="" if problems else _passed(answer))


def _invoked(client: Any, function: str, event: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the function's response. Raise a WavecrawlError if it cannot be invoked, or failed."""
    with explained(f"invoking {function}"):
        try:
            response = client.invoke(FunctionName=function, Payload=json.dumps(event).encode())
        except ClientError as error:
            if code_of(error) != _THROTTLED:
                raise
            raise PermanentError(
                "Lambda throttled the invocation: all concurrency of the account or of the function is in use"
            ) from error
    answer: Mapping[str, Any] = json.load(response["Payload"]) or {}
    if "FunctionError" in response:
        kind, message = answer.get("errorType", ""), answer.get("errorMessage", "")
        raise PermanentError(f"it does not run: {kind}: {message}. Its log has more")
    return answer


def _problems(answer: Mapping[str, Any]) -> list[str]:
    if "checks" not in answer:
        return ["it has no self-test. Deploy the version of this command"]
    return [f"{name}: {problem}" for name, problem in answer["checks"].items() if problem]


def _passed(answer: Mapping[str, Any]) -> str:
    return f"{', '.join(answer['checks'])} (Python {answer['python']})"
