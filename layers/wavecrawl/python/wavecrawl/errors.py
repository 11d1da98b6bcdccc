"""Every error wavecrawl raises.

    WavecrawlError
    ├── TransientError            trying again later may help
    │   ├── BatchStuckError       a batch failed, and may be leased still: it is free when its lease is over
    │   ├── StoreBusyError        the store did not answer in time
    │   └── ThrottledError        a service asks to be asked less often
    └── PermanentError            trying again will not help
        ├── InvalidInputError     something from outside is wrong; the message names it and says what to do
        │   ├── InvalidUrlError
        │   └── InvalidSettingsError   (carries every problem at once)
        ├── NotFoundError         what was asked for does not exist
        │   └── NotDeployedError       (of AWS, which the deployment should have: nobody who asks can help it)
        ├── TooLargeError         there is more of it than can be answered here; the message says what to do
        ├── ForbiddenError        whoever asks may not do that
        ├── PlanLimitError        more than the tenant's plan allows (carries the plan, what it limits, its ceiling)
        ├── QuotaExceededError    the tenant's month is used up (carries when the next begins)
        ├── ConflictError         something else is in the way (a folder in use, a wave that is not over)
        │   ├── CrawlRunningError      (carries the crawl that is in the way)
        │   ├── RepeatedMessageError   (carries the crawl that the message started)
        │   └── OutdatedError          what was to be changed is not as it was when it was read
        └── CorruptDataError      stored data cannot be read back

The endings of a page request are no exceptions: they are values (`domain.exchange`).
"""


class WavecrawlError(Exception):
    """Anything wavecrawl raises on purpose."""


class TransientError(WavecrawlError):
    """Trying again later may help."""


class BatchStuckError(TransientError):
    """A batch failed, and may be leased still: nobody can take it up before its lease is over."""


class StoreBusyError(TransientError):
    """The store did not answer in time."""


class ThrottledError(TransientError):
    """A service asks to be asked less often; whatever was asked for did not happen."""


class PermanentError(WavecrawlError):
    """Trying again will not help."""


class InvalidInputError(PermanentError):
    """Something that came from outside is wrong; the message names it and says what to do."""


class InvalidUrlError(InvalidInputError):
    """A URL that cannot be crawled."""


class InvalidSettingsError(InvalidInputError):
    """Settings that do not hold; `problems` names each of them."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class NotFoundError(PermanentError):
    """What was asked for does not exist."""


class NotDeployedError(NotFoundError):
    """Something of AWS does not exist that the deployment should have: nobody who asks for anything can help it."""


class TooLargeError(PermanentError):
    """There is more of it than can be answered here; the message says what to do."""


class ForbiddenError(PermanentError):
    """Whoever asks may not do that."""


class PlanLimitError(PermanentError):
    """More was asked for than the tenant's plan allows; `ceiling` is the most that `plan` allows of `limit`."""

    def __init__(self, message: str, *, plan: str, limit: str, ceiling: float) -> None:
        super().__init__(message)
        self.plan = plan
        self.limit = limit
        self.ceiling = ceiling


class QuotaExceededError(PermanentError):
    """The month is used up; the next begins at `resets_at` (Unix seconds), `wait` seconds after that request."""

    def __init__(self, message: str, *, resets_at: float, wait: float) -> None:
        super().__init__(message)
        self.resets_at = resets_at
        self.wait = wait


class ConflictError(PermanentError):
    """Something else is in the way."""


class CrawlRunningError(ConflictError):
    """The site is being crawled already; `crawl` is the id of that crawl."""

    def __init__(self, message: str, *, crawl: str) -> None:
        super().__init__(message)
        self.crawl = crawl


class RepeatedMessageError(ConflictError):
    """A webhook message was delivered before; `crawl` is the id of the crawl that it started."""

    def __init__(self, message: str, *, crawl: str) -> None:
        super().__init__(message)
        self.crawl = crawl


class OutdatedError(ConflictError):
    """What was to be changed is not as it was when it was read."""


class CorruptDataError(PermanentError):
    """Stored data that cannot be read back."""
