"""What a crawl is charged with beyond its clients' requests: what AWS does on its behalf."""

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
# (https://aws.amazon.com/step-functions/pricing/). The page does not say whether Start and End are steps. They are
# counted here; if they are free, a crawl costs two transitions less. tests/infra/test_transitions.py compares these
# numbers with the definition.
TRANSITIONS_A_CRAWL = 6.0  # Start, OpenCrawl, WhereToStart?, FinishCrawl, Notify, End
TRANSITIONS_OF_AN_OPENING = 3.0  # of each one after the first: PauseOpening, OpenCrawl, WhereToStart?
TRANSITIONS_A_WAVE = 2.0  # the task and the choice after it
TRANSITIONS_A_PAUSE = 1.0  # the wait
TRANSITIONS_A_TIME_OUT = 1.0  # CountDoneBatches; the choice after it takes the place of the wave's
TRANSITIONS_A_LARGE_WAVE = 4.0  # the task and the choice after it; the task on Fargate, and the choice that leads back
TRANSITIONS_OF_SITEMAPS = 2.0  # the task and the choice after it
TRANSITIONS_A_CONTINUATION = 6.0  # ContinueAsNew, ContinuedAsNew, End; Start, OpenCrawl, WhereToStart?

_MESSAGE_UNIT = 64 * 1024
"""Bytes of one billed SQS request: https://aws.amazon.com/sqs/pricing/."""


@contextmanager
def charged_on_error(cloud: "Cloud", crawl: CrawlId, wave: int = SETUP) -> Iterator[None]:
    """Charge the wave with what the block used if it fails, so that the function's next crawl does not pay for it."""
    try:
        yield
    except BaseException:
        with suppress(WavecrawlError):  # the error that is raised again already reports a fault of the table
            cloud.waves.add_usage(crawl, wave, cloud.meter.take())
        raise


def charge_message(meter: AwsMeter, size: int) -> None:
    """Charge a message of `size` bytes: the event source mapping receives and deletes it."""
    meter.add(Usage(queue_requests=ceil(max(size, 1) / _MESSAGE_UNIT) + 1.0))


def charge_continuation(meter: AwsMeter) -> None:
    """Charge the end of one execution and the start of the next."""
    meter.add(Usage(transitions=TRANSITIONS_A_CONTINUATION))


def charge_opening_again(meter: AwsMeter) -> None:
    """Charge the pause before the next try to open a crawl, and that try."""
    meter.add(Usage(transitions=TRANSITIONS_OF_AN_OPENING))


def charge_wave(cloud: "Cloud", crawl: CrawlId, wave: int, *, paused: bool) -> None:
    """Charge a wave with what its planner used and with the transitions of one run of its task."""
    cloud.meter.add(Usage(transitions=TRANSITIONS_A_WAVE + TRANSITIONS_A_PAUSE * paused))
    cloud.waves.add_usage(crawl, wave, cloud.meter.take())


def charge_large_wave(cloud: "Cloud", crawl: CrawlId, wave: int) -> None:
    """Charge a wave that a Fargate task plans with the transitions before it runs again. The task is not charged."""
    cloud.meter.add(Usage(transitions=TRANSITIONS_A_LARGE_WAVE))
    cloud.waves.add_usage(crawl, wave, cloud.meter.take())


def charge_time_out(cloud: "Cloud", crawl: CrawlId, wave: int) -> None:
    """Charge a wave that timed out with the count of its batches."""
    cloud.meter.add(Usage(transitions=TRANSITIONS_A_TIME_OUT))
    cloud.waves.add_usage(crawl, wave, cloud.meter.take())


def charge_sitemaps(meter: AwsMeter, *, paused: bool) -> None:
    """Charge the transitions of one run of ReadSitemaps."""
    meter.add(Usage(transitions=TRANSITIONS_OF_SITEMAPS + TRANSITIONS_A_PAUSE * paused))


def charge_ending(meter: AwsMeter) -> None:
    """Charge the transitions that every crawl takes once, and the API request that started it."""
    meter.add(Usage(transitions=TRANSITIONS_A_CRAWL, api_requests=1.0))
