"""The concurrent executions of Lambda that a deployment may use, and the functions that get them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FED: Final[Mapping[str, int]] = {"fetch_batch": 5, "deliver": 1}
"""The functions that queues feed, with their parts of the workers. A function that is added here takes its part too."""

LEAST: Final = 2
"""The minimum of `MaximumConcurrency`.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-eventsourcemapping-scalingconfig.html
"""

MOST_BY_QUEUE: Final = 1_000
"""The maximum of `MaximumConcurrency`."""

FREE: Final = 2
"""Executions that the API and the steps of crawls have even while pages are rendered and media are downloaded."""

FOLDS: Final = LEAST
"""Executions that fold parts, in addition to the workers: a part takes seconds, a few times in an hour of a crawl.

Like the steps of crawls, they use the executions that are left.
"""

INDEXINGS: Final = LEAST
"""Executions that index texts after crawls, each for another site, in addition to the workers.

In an account with ten executions, two sites that are indexed while all workers are busy leave none for the API.
"""

BESIDE: Final = 4
"""Workers for each execution that renders pages, and for each that downloads media.

These executions are none of the workers, so fetching loses nothing to them.
"""

USUAL: Final = 12
"""Workers by default, if the account has enough: ten fetch, two deliver.

Three more executions render, and three download media.
"""

CALLED: Final = ("webhook", "api", "results")
"""The public functions, whose callers must not use up the concurrency for crawls."""

FOR_CALLERS: Final = 10
"""Reserved concurrency of each public function."""

UNRESERVED: Final = 100
"""Concurrency that must stay unreserved.

https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency:
    """How a deployment divides the concurrent executions of its account."""

    account: int  # executions that the deployment may count on
    workers: int  # of them, for all functions that queues feed
    render: bool  # whether pages are rendered
    media: bool  # whether media are downloaded

    @classmethod
    def of(cls, *, account: int, workers: int, render: bool = True, media: bool = True) -> "Concurrency":
        """Return the division for an account; `workers` 0 means as many as usual, or fewer in a small account."""
        most = cls(account=account, workers=0, render=render, media=media).most_workers
        return cls(account=account, workers=workers or min(USUAL, most), render=render, media=media)

    @property
    def most_workers(self) -> int:
        """The maximum number of workers: each kind of slow batches needs some of the account, and `FREE` are left."""
        return self.account - FREE - LEAST * max(1, self._slow_kinds)

    @property
    def _slow_kinds(self) -> int:
        return self.render + self.media

    def by_queue(self) -> dict[str, int]:
        """Return the `MaximumConcurrency` of each function that a queue feeds, folds excepted.

        The sum of those in `FED` is `workers` at most.
        """
        first, *others = FED
        whole = sum(FED.values())
        shares = {name: max(LEAST, self.workers * FED[name] // whole) for name in others}
        workers = {first: min(MOST_BY_QUEUE, self.workers - sum(shares.values())), **shares}
        left = self.account - self.workers - FREE
        beside = max(LEAST, min(self.workers // BESIDE, left // max(1, self._slow_kinds)))
        if self.render:
            workers["render_batch"] = beside
        if self.media:
            workers["process_media"] = beside
        return workers

    def reserved(self) -> dict[str, int]:
        """Return the reserved concurrency by function; empty if the account is too small to reserve any."""
        wanted = self.by_queue() | dict.fromkeys(CALLED, FOR_CALLERS)
        return wanted if sum(wanted.values()) + UNRESERVED <= self.account else {}

    def problem(self) -> str:
        """Return what is wrong with the number of workers, or ''."""
        least, most = LEAST * len(FED), self.most_workers
        if least <= self.workers <= most:
            return ""
        return (
            f"worker_concurrency must be between {least} and {most} if account_concurrency is {self.account},"
            f" as the API, the steps of crawls, rendering and media need {self.account - most}: {self.workers}."
            " If the account has more, raise account_concurrency"
        )
