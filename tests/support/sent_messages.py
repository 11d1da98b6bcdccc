# mypy: disable-error-code="import-not-found"
"""Counts the messages that deployed functions send: `sent_messages.handler` wraps the real handler.

It runs inside the emulator's Lambda; the product does not know of it. WAVECRAWL_TEST_SENT names a file, which gets one
line for each message: the batch of the message.
"""

import os
from collections.abc import Sequence
from functools import wraps

from handler import handler as real_handler  # the function's own

from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.domain.crawl.job import BatchJob

_send = SqsJobQueue.send


@wraps(_send)
def send(self: SqsJobQueue, jobs: Sequence[BatchJob]) -> None:
    """Send the jobs, then note them in one write, which processes do not interrupt."""
    _send(self, jobs)
    lines = "".join(f"{job.id.crawl} {job.id.wave} {job.id.batch}\n" for job in jobs)
    file = os.open(os.environ["WAVECRAWL_TEST_SENT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, lines.encode())
    os.close(file)


SqsJobQueue.send = send  # type: ignore[method-assign]
handler = real_handler
