"""What tenants see of errors.

Messages about the site or the request are for them. All others are about the installation, and may contain addresses,
paths, and names of its resources: they belong in the operator's log.
"""

import logging
import re
from typing import Final

from wavecrawl import errors

logger = logging.getLogger(__name__)

_FOR_TENANTS: Final = (
    *(errors.InvalidInputError, errors.RootFailedError, errors.RootUnreachableError, errors.HostDeniedError),
    *(errors.CrawlsStoppedError, errors.PlanLimitError, errors.QuotaExceededError, errors.TooLargeError),
)
_LOG: Final = "; the operator's log names the cause"
_INTERNAL: Final = f"an internal error{_LOG}"

_KINDS: Final = (
    (errors.CorruptDataError, f"stored data of the crawl cannot be read{_LOG}"),
    (errors.TransientError, f"a part of the service did not respond, also after several attempts{_LOG}"),
    (errors.BrowserMissingError, f"there is no browser to render pages with{_LOG}"),
)
_STEPS: Final = {
    "ABORTED": "the operator stopped its execution",
    "NoFargateCapacity": "for an hour there was no room to conclude it; what was crawled is kept: resume it later",
    "States.Timeout": f"a step took longer than it may{_LOG}",
    "TIMED_OUT": f"it took longer than an execution may{_LOG}",
    "TooManyResumes": f"a wave made no progress several times in a row{_LOG}",
}
"""Errors of the state machine (infra/state_machine/crawl.asl.json), and how an execution ends from outside."""

_FOLDERS: Final = re.compile(
    r"""
    (?<=["'`]) / [^"'`\n]* /                    # in quotation marks, where names may have spaces
    | (?<![\w:/.]) / (?: [^\s/"'`:,;]+ / )+     # elsewhere, but not in a URL
    """,
    re.VERBOSE,
)
"""The folders of an absolute path."""


def shown_error(error: Exception) -> str:
    """Return what tenants may know of an error."""
    return _shown(type(error), str(error))


def shown_reason(name: str, message: str) -> str:
    """Return the same for an error that is known by its name and message: of a function, or of the state machine."""
    kind = vars(errors).get(name)
    return _shown(kind, message) if isinstance(kind, type) else _STEPS.get(name, _INTERNAL)


def shown_failure(error: Exception) -> str:
    """Return why a file could not be made: the first line of the error, without the folders of files.

    The whole error is logged, as the results are made without the file and nothing else reports it.
    """
    logger.warning("a file of the results could not be made: %s", str(error) or type(error).__name__)
    if isinstance(error, errors.WavecrawlError):
        return shown_error(error)
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return without_folders(str(error).partition("\n")[0]) or type(error).__name__


def without_folders(text: str) -> str:
    """Return a text with the names of files, but not the folders that they are in."""
    return _FOLDERS.sub("", text)


def _shown(kind: type, message: str) -> str:
    if issubclass(kind, _FOR_TENANTS) and not issubclass(kind, errors.MisconfiguredError):
        return message
    return next((text for one, text in _KINDS if issubclass(kind, one)), _INTERNAL)
