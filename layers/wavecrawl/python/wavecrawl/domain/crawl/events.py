"""The kinds of events of a crawl."""

from enum import StrEnum


class EventKind(StrEnum):
    """Kind of an event."""

    STARTED = "crawl.started"
    PROGRESS = "crawl.progress"  # a wave was planned
    CHANGED = "site.changed"  # pages differ from an earlier crawl of the site
    COMPLETED = "crawl.completed"  # also if cancelled or out of budget, with the results so far
    FAILED = "crawl.failed"
    TEST = "webhook.test"  # sent to one webhook on request; not part of a crawl
