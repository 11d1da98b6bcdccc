"""Errors that the emulator's functions cannot raise, mocked by name as in Step Functions Local.

A task that waits for its token fails at once in AWS if its function fails. The emulator keeps waiting, so this is
mocked too.

https://docs.aws.amazon.com/step-functions/latest/dg/sfn-local-test-sm-exec.html
"""

TASKS = (
    "OpenCrawl",
    "BfsWave",
    "ContinueAsNew",
    "ReadSitemaps",
    "OrphanWave",
    "MediaWave",
    "CountDoneBatches",
    "FinishCrawl",
    "Notify",
)
"""Every task of a crawl."""

PERMANENT = (
    "InvalidInputError",
    "InvalidUrlError",
    "InvalidSettingsError",
    "NotFoundError",
    "ConflictError",
    "CrawlRunningError",
    "CorruptDataError",
    "RootFailedError",
    "PermanentError",
)
TRANSIENT = ("StoreBusyError", "ThrottledError", "TransientError", "Lambda.ServiceException")
THROTTLES = ("Lambda.TooManyRequestsException", "StepFunctions.ThrottlingException")
OTHER = ("Lambda.Unknown", "Sandbox.Timedout", "KeyError")
"""The first is that of a function that was ended, such as for its memory:
https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html"""


def case(state: str, error: str) -> str:
    """Return the name of the case in which a state's task always fails with an error."""
    return f"{state}-{error}".replace(".", "_")


FINISHING, PLANNING = "FinishLargeCrawl", "PlanLargeWave"
"""The tasks on Fargate. Their errors have other rules."""

FULL = (
    ("AmazonECS.Unknown", "mocked"),
    ("ECS.AmazonECSException", "mocked"),
    ("ECS.ServerException", "mocked"),
    ("ECS.ClientException", "You've reached the limit on the number of vCPUs you can run concurrently"),
    ("ECS.ClientException", "Capacity is unavailable at this time. Please try again later"),
    ("States.TaskFailed", '{"StopCode": "TaskFailedToStart", "StoppedReason": "no address is free"}'),
)
"""Errors and causes of tasks that Fargate could not start."""

BROKEN = (
    ("ECS.InvalidParameterException", "mocked"),
    (
        "States.TaskFailed",
        '{"StopCode": "EssentialContainerExited", "StoppedReason": "Essential container in task exited"}',
    ),
)
"""Errors and causes of tasks that another start does not help."""

_THROWN = {f"fargate{number}": error for number, error in enumerate((*FULL, *BROKEN))}
_TASK_FAILURES = [(thrown, times) for thrown in _THROWN for times in (1, 999)]


def task_case(error: tuple[str, str], *, task: str = FINISHING, times: int = 999) -> str:
    """Return the name of the case in which a task fails whenever it is started, or only the first time (1)."""
    (name,) = (name for name, thrown in _THROWN.items() if thrown == error)
    return f"{task}-{name}-{times}"


PLANNED = "planned"
"""The case in which the task plans each wave."""


_ERRORS = (
    *PERMANENT,
    *TRANSIENT,
    *THROTTLES,
    *OTHER,
    "StepFunctions.ExecutionAlreadyExistsException",
    "States.Timeout",
)

MOCKS: dict[str, object] = {
    "StateMachines": {
        name: {
            "TestCases": {
                **{case(state, error): {state: error} for state in TASKS for error in _ERRORS},
                **{
                    f"{task}-{thrown}-{times}": {task: f"{thrown}-{times}"}
                    for task in (FINISHING, PLANNING)
                    for thrown, times in _TASK_FAILURES
                },
                PLANNED: {PLANNING: PLANNED},
            }
        }
        for name in (f"crawl{number}" for number in range(5))
    },
    "MockedResponses": {
        PLANNED: {"0-9999": {"Return": {}}},
        **{error: {"0-999": {"Throw": {"Error": error, "Cause": "mocked"}}} for error in _ERRORS},
        **{
            f"{thrown}-{times}": {
                f"0-{times - 1}": {"Throw": {"Error": _THROWN[thrown][0], "Cause": _THROWN[thrown][1]}},
                f"{times}-9999": {"Return": {}},
            }
            for thrown, times in _TASK_FAILURES
        },
    },
}
"""Which errors each test case throws."""
