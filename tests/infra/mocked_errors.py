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
OTHER = ("Sandbox.Timedout", "KeyError")


def case(state: str, error: str) -> str:
    """Return the name of the case in which a state's task always fails with an error."""
    return f"{state}-{error}".replace(".", "_")


_ERRORS = (
    *PERMANENT,
    "RootUnreachableError",
    *TRANSIENT,
    *THROTTLES,
    *OTHER,
    "StepFunctions.ExecutionAlreadyExistsException",
    "States.Timeout",
)

MOCKS: dict[str, object] = {
    "StateMachines": {
        name: {"TestCases": {case(state, error): {state: error} for state in TASKS for error in _ERRORS}}
        for name in (f"crawl{number}" for number in range(5))
    },
    "MockedResponses": {error: {"0-999": {"Throw": {"Error": error, "Cause": "mocked"}}} for error in _ERRORS},
}
