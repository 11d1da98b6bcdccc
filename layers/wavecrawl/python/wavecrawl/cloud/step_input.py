"""Events from the state machine (infra/state_machine/crawl.asl.json)."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from wavecrawl.adapters.aws.launcher import PER_RESUME
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.errors import InvalidInputError

Shape = TypeVar("Shape")


class CrawlTask(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a step that concerns a whole crawl."""

    crawl: CrawlId


class OpenTask(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a step that depends on the execution."""

    crawl: CrawlId
    continued: int = 0  # executions of this crawl before this one, in each run counted from `PER_RESUME`
    tries: int = 0  # earlier tries to open the crawl
    results: bool = False  # whether only the results of an ended crawl are made again
    files: tuple[ResultFile, ...] = ()  # if only these files of an ended crawl are made

    @property
    def run(self) -> int:
        """The resumes of the crawl when the execution was started."""
        return self.continued // PER_RESUME


def task_of(event: Mapping[str, Any], shape: type[Shape]) -> Shape:
    """Return the event as a `shape`. Raise InvalidInputError if it is something else."""
    try:
        return msgspec.convert(event, shape)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"not a {shape.__name__}: {error}") from error
