"""Tenants see what concerns their site and their request, and nothing of the installation."""

import errno
import inspect

import duckdb
import pytest

from wavecrawl import errors
from wavecrawl.application.shown_errors import shown_error, shown_failure, shown_reason

INTERNALS = (
    "table wavecrawl-Storage-1AB2 of arn:aws:dynamodb:eu-west-1:123456789012:table/t at 10.1.2.3: "
    "/var/task/handler.py in ip-10-0-0-1.ec2.internal"
)
SHOWN = {
    *("InvalidInputError", "InvalidUrlError", "InvalidSettingsError"),
    *("RootFailedError", "RootUnreachableError", "HostDeniedError"),
    *("CrawlsStoppedError", "PlanLimitError", "QuotaExceededError", "TooLargeError"),
}
"""The errors whose messages are about the site or the request."""

ERRORS = sorted(name for name, found in vars(errors).items() if inspect.isclass(found))


def made(name: str) -> Exception:
    more: dict[str, dict[str, object]] = {
        "PlanLimitError": {"plan": "free", "limit": "max_pages", "ceiling": 1.0},
        "QuotaExceededError": {"resets_at": 1.0, "wait": 1.0},
        "CrawlRunningError": {"crawl": "c"},
        "RepeatedMessageError": {"crawl": "c"},
    }
    given: object = (INTERNALS,) if name == "InvalidSettingsError" else INTERNALS
    error: Exception = vars(errors)[name](given, **more.get(name, {}))
    return error


@pytest.mark.parametrize("name", ERRORS)
def test_messages_about_the_installation_are_for_the_operator(name: str) -> None:
    """A new error is hidden, unless it is listed here too."""
    for text in (shown_error(made(name)), shown_reason(name, INTERNALS)):
        assert (INTERNALS in text) == (name in SHOWN)
        if name not in SHOWN:
            assert text.endswith("; the operator's log names the cause")
            assert not [part for part in ("arn:", "10.1", "/var", "internal:", "wavecrawl-") if part in text]


@pytest.mark.parametrize(
    ("error", "cause", "said"),
    [
        ("Lambda.Unknown", "RequestId: 1 Error: Runtime exited with error: signal: killed", "an internal error"),
        ("KeyError", "'/opt/python/wavecrawl/x.py'", "an internal error"),
        ("AmazonECS.Unknown", "subnet-0a1b at 10.0.0.7", "an internal error"),
        ("States.TaskFailed", "arn:aws:ecs:eu-west-1:1:task/x", "an internal error"),
        ("States.Timeout", "", "a step took longer than it may"),
        ("TIMED_OUT", "", "it took longer than an execution may"),
        ("ABORTED", "arn:aws:iam::1:user/alice", "the operator stopped its execution"),
        ("NoFargateCapacity", "quota L-3032A538", "for an hour there was no room"),
        ("TooManyResumes", "see the dead-letter queue", "a wave made no progress"),
        ("", "", "an internal error"),
        ("BUSY_SECONDS", INTERNALS, "an internal error"),
    ],
)
def test_errors_of_the_state_machine_are_said_in_words(error: str, cause: str, said: str) -> None:
    text = shown_reason(error, cause)
    assert text.startswith(said)
    assert not cause or cause not in text


def test_a_failed_export_names_files_without_their_folders() -> None:
    assert shown_failure(OSError(errno.ENOSPC, "No space left on device", "/data/acme/x")) == "No space left on device"
    assert shown_failure(OSError("/data/x")) == "OSError"
    written = duckdb.IOException('IO Error: Cannot open file "/var/lib/wavecrawl/tenants/t/edges.parquet": gone\nat /x')
    assert shown_failure(written) == 'IO Error: Cannot open file "edges.parquet": gone'
    assert shown_failure(duckdb.Error("see https://example.com/a/b.html and /tmp/q/w")) == (
        "see https://example.com/a/b.html and w"
    )
    spaced = duckdb.IOException("cannot write '/data of acme/site a/edges.parquet'")
    assert shown_failure(spaced) == "cannot write 'edges.parquet'"
    assert shown_failure(MemoryError()) == "MemoryError"
    assert shown_failure(errors.CorruptDataError("/data/x is damaged")).startswith("stored data of the crawl")
