from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from wavecrawl.adapters.aws.meter import AwsMeter, LambdaMeter
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.ports.meter import Meter, NoMeter


def aws_meter() -> AwsMeter:
    return AwsMeter(LambdaMeter())


@pytest.mark.parametrize("new_meter", [NoMeter, aws_meter])
def test_what_was_taken_is_not_taken_again(new_meter: Callable[[], Meter]) -> None:
    meter = new_meter()
    meter.take()
    assert meter.take() == Usage()


def test_all_threads_are_counted_once() -> None:
    meter = aws_meter()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(400):
            pool.submit(meter.add, Usage(write_units=1.0, gets=2.0))
        taken = [pool.submit(meter.take) for _ in range(20)]
    total = sum((job.result() for job in taken), Usage()) + meter.take()
    assert total == Usage(write_units=400.0, gets=800.0)
