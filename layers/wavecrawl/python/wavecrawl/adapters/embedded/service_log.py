"""The log of `wavecrawl serve` about its crawls: lines of JSON on standard error, also from their processes.

The telemetry of the API and of functions needs Powertools, which takes long to load and which crawls do not need.
"""

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

_VARIABLE: Final = "WAVECRAWL_SERVICE_LOG"  # processes that are started later inherit it


def start_service_log() -> None:
    """Let this process and those that it starts write to the log. Otherwise, `write_service_log` does nothing."""
    os.environ[_VARIABLE] = "on"


def has_service_log() -> bool:
    """Return whether this process writes to the log."""
    return _VARIABLE in os.environ


def write_service_log(message: str, fields: Mapping[str, object]) -> None:
    """Write a line, with the same fields as those of the API."""
    if not has_service_log():
        return
    now = datetime.now(UTC)
    line = {
        "level": "INFO",
        "message": message,
        "timestamp": f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}+0000",
        "service": "crawl",
        **fields,
    }
    sys.stderr.write(f"{msgspec.json.encode(line).decode()}\n")
    sys.stderr.flush()
