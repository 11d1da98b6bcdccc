"""Every error wavecrawl raises.

    WavecrawlError
    ├── TransientError            a retry may help
    │   ├── BatchStuckError       a batch failed and may still be leased; it is free when the lease ends
    │   ├── ReadingStoppedError   the crawl ended while a page was read
    │   ├── LeaseEndedError       a worker took longer than its lease; another worker may have its batch
    │   ├── RootUnreachableError  the root's robots.txt cannot be fetched now
    │   ├── StoreBusyError        the store did not respond in time
    │   ├── ThrottledError        a service rejected the request because of its rate limit
    │   └── UnwritableError       files cannot be written: the disk is full, a quota is used up, or access is denied
    └── PermanentError            a retry will not help
        ├── InvalidInputError     invalid input; the message names it and says what to do
        │   ├── InvalidUrlError
        │   ├── InvalidSettingsError   (carries all problems)
        │   └── MisconfiguredError     (only the operator can correct it)
        ├── NotFoundError         the requested item does not exist
        │   └── NotDeployedError       (an AWS resource that the deployment should contain)
        ├── BrowserMissingError   there is no browser that starts; the message says what to do
        ├── ReplayMissingError    the engine that replays archives is not installed; the message says how to get it
        ├── KnowledgeMissingError a library of the knowledge index is not installed; the message says which
        ├── IndexLimitError       indexing exceeds a limit; the message says which, and what to do
        ├── TooLargeError         the result is too large for one response; the message says what to do
        ├── TooExpensiveError     reading a page takes more than its budget of processor time or memory
        ├── UnusableAssetError    a downloaded file is no media, or exceeds a limit; the message says which
        ├── RootFailedError       the root of a crawl cannot be crawled; the message says why and what to do
        ├── ForbiddenError        the caller lacks the permission
        │   └── HostDeniedError        (the operator's deny list has the host)
        ├── CrawlsStoppedError    the operator has stopped all crawls
        ├── PlanLimitError        more than the tenant's plan allows (carries plan, limit and ceiling)
        ├── QuotaExceededError    the tenant's monthly quota is used up (carries the time of its reset)
        ├── ConflictError         another operation is in the way (a folder in use, an unfinished wave)
        │   ├── CrawlRunningError      (carries the id of the running crawl)
        │   ├── RepeatedMessageError   (carries the id of the crawl that the message started)
        │   └── OutdatedError          the item has changed since it was read
        └── CorruptDataError      stored data cannot be read

A failed page request is not an exception but a value (`domain.fetching.exchange`).
"""


class WavecrawlError(Exception):
    """The root of all errors that wavecrawl raises."""


class TransientError(WavecrawlError):
    """A retry may help."""


class BatchStuckError(TransientError):
    """A batch failed and may still be leased; no other worker can take it before the lease ends."""


class LeaseEndedError(TransientError):
    """A worker took longer than the lease of its batch, so another worker may have the batch."""


class ReadingStoppedError(TransientError):
    """The crawl, or the time of its worker, ended before a page was read."""


class RootUnreachableError(TransientError):
    """The robots.txt of a crawl's root cannot be fetched now, so nothing may be requested."""


class StoreBusyError(TransientError):
    """The store did not respond in time."""


class ThrottledError(TransientError):
    """A service rejected the request because of its rate limit; the request had no effect."""


class UnwritableError(TransientError):
    """Files cannot be written: the disk is full, a quota is used up, or access is denied; the message says which."""


class PermanentError(WavecrawlError):
    """A retry will not help."""


class InvalidInputError(PermanentError):
    """Invalid input; the message names it and says what to do."""


class InvalidUrlError(InvalidInputError):
    """A URL that cannot be crawled."""


class InvalidSettingsError(InvalidInputError):
    """Invalid settings; `problems` has one message for each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class MisconfiguredError(InvalidInputError):
    """The installation is set up in a way that cannot work. Its operator can correct that, other callers cannot."""


class NotFoundError(PermanentError):
    """The requested item does not exist."""


class NotDeployedError(NotFoundError):
    """An AWS resource that the deployment should contain does not exist; callers cannot correct that."""


class BrowserMissingError(PermanentError):
    """There is no browser that starts, to render pages with; the message says what to do."""


class ReplayMissingError(PermanentError):
    """The engine that replays archives is not installed; the message says how to install it."""


class KnowledgeMissingError(PermanentError):
    """A library of the knowledge index is not installed; the message says which, and how to install it."""


class IndexLimitError(PermanentError):
    """Indexing exceeds a limit; the message says which, and what to do."""


class TooLargeError(PermanentError):
    """The result is too large for one response; the message says what to do."""


class TooExpensiveError(PermanentError):
    """Reading a page takes more than its budget of processor time, or too much memory; the message says which."""


class UnusableAssetError(PermanentError):
    """A downloaded file is no media of a wanted kind, or exceeds a limit; the message says which."""


class RootFailedError(PermanentError):
    """The root of a crawl cannot be crawled; the message says why and what to do."""


class CrawlFailedError(PermanentError):
    """A crawl failed; the message says why."""


class ForbiddenError(PermanentError):
    """The caller lacks the permission."""


class HostDeniedError(ForbiddenError):
    """A URL whose host is on the operator's deny list."""


class CrawlsStoppedError(PermanentError):
    """The operator has stopped all crawls."""


class PlanLimitError(PermanentError):
    """A request for more than the tenant's plan allows: at most `ceiling` of `limit`."""

    def __init__(self, message: str, *, plan: str, limit: str, ceiling: float) -> None:
        super().__init__(message)
        self.plan = plan
        self.limit = limit
        self.ceiling = ceiling


class QuotaExceededError(PermanentError):
    """The monthly quota is used up; it resets at `resets_at` (Unix seconds), in `wait` seconds."""

    def __init__(self, message: str, *, resets_at: float, wait: float) -> None:
        super().__init__(message)
        self.resets_at = resets_at
        self.wait = wait


class ConflictError(PermanentError):
    """Another operation is in the way."""


class CrawlRunningError(ConflictError):
    """The site has a running crawl, whose id is `crawl`."""

    def __init__(self, message: str, *, crawl: str) -> None:
        super().__init__(message)
        self.crawl = crawl


class RepeatedMessageError(ConflictError):
    """A webhook message was delivered before; `crawl` is the id of the crawl that it started."""

    def __init__(self, message: str, *, crawl: str) -> None:
        super().__init__(message)
        self.crawl = crawl


class OutdatedError(ConflictError):
    """The item has changed since it was read."""


class CorruptDataError(PermanentError):
    """Stored data that cannot be read."""
