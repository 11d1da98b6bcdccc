"""What a crawl is charged with beyond the requests that its own clients make: what AWS does on its behalf."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.meter import AwsMeter
from wavecrawl.domain.crawl.bill import SETUP, Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import WavecrawlError

if TYPE_CHECKING:
    from wavecrawl.bootstrap.cloud import Cloud

# "Step Functions counts a state transition each time a step of your workflow is executed"
# (https://aws.amazon.com/step-functions/pricing/). Whether Start and End are steps it does not say; they are counted
# here, and a crawl takes two less if they are not. tests/infra counts the steps in the definition itself.
TRANSITIONS_A_WAVE = 1.0  # its task, which leads to the next
TRANSITIONS_ELSEWHERE = 1.0  # the choice after a wave that no other follows
TRANSITIONS_A_PAUSE = 1.0  # the wait
TRANSITIONS_OF_SITEMAPS = 2.0  # the task, the choice after it
TRANSITIONS_A_CRAWL = 5.0  # Start, OpenCrawl, FinishCrawl, Notify, End

_MESSAGE_UNIT = 64 * 1024
"""Bytes of one billed SQS request: https://aws.amazon.com/sqs/pricing/."""


@contextmanager
def charged_on_error(cloud: "Cloud", crawl: CrawlId, wave: int = SETUP) -> Iterator[None]:
    """Charge a wave with what a block used that failed: otherwise the function's next crawl would be."""
    try:
        yield
    except BaseException:
        with suppress(WavecrawlError):  # what is wrong with the table is known by then
            cloud.waves.add_usage(crawl, wave, cloud.meter.take())
        raise


def charge_message(meter: AwsMeter, size: int) -> None:
    """Charge a message of `size` bytes that the event source mapping received and will delete."""
    meter.add(Usage(queue_requests=ceil(max(size, 1) / _MESSAGE_UNIT) + 1.0))


def charge_wave(cloud: "Cloud", crawl: CrawlId, wave: int, *, elsewhere: bool, paused: bool = False) -> None:
    """Charge a wave with what its planner used, and with the state machine's way to what follows: a wave or not."""
    transitions = TRANSITIONS_A_WAVE + TRANSITIONS_ELSEWHERE * elsewhere + TRANSITIONS_A_PAUSE * paused
    cloud.meter.add(Usage(transitions=transitions))
    cloud.waves.add_usage(crawl, wave, cloud.meter.take())


def charge_sitemaps(meter: AwsMeter, *, paused: bool) -> None:
    """Charge the state machine's way through one reading of sitemaps."""
    meter.add(Usage(transitions=TRANSITIONS_OF_SITEMAPS + TRANSITIONS_A_PAUSE * paused))


def charge_ending(meter: AwsMeter) -> None:
    """Charge the rest of the state machine, and the request that started the crawl."""
    meter.add(Usage(transitions=TRANSITIONS_A_CRAWL, api_requests=1.0))
