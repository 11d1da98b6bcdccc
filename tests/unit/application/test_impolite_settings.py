"""What the least polite settings of a request can do to a host that is overloaded or requests a pause."""

from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.unit.application.test_strained_hosts import PAGES, Strained, crawl

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.settings import PoliteSettings

LOWEST = {
    name: REQUEST_BOUNDS.range_of(f"polite.{name}")[0]
    for name in ("interval", "max_interval", "max_retry_after", "cooldown")
}
IMPOLITE = crawl_settings({"polite": {"adapt": False, **LOWEST}}, bounds=REQUEST_BOUNDS).polite


class Limited(Strained):
    """A site whose tenth page, and no other, responds with 429 and `Retry-After: 60`."""

    def fetch(self, request: FetchRequest) -> Exchange:
        exchange = Strained.fetch(self, request)
        if exchange.status != 429:
            return exchange
        return structs.replace(exchange, headers=(*exchange.headers, ("Retry-After", "60")))


def starts_of(web: Strained, folder: Path, polite: PoliteSettings = IMPOLITE) -> list[float]:
    simulation = crawl(web, folder, polite)
    simulation.crawl([])
    simulation.close()
    assert len(web.starts) > 10
    return web.starts


@pytest.mark.parametrize("status", [500, 403, 429])
def test_no_request_can_press_on_a_host_that_only_responds_with_errors(status: int, tmp_path: Path) -> None:
    starts = starts_of(Strained(status_of=lambda _: status), tmp_path)
    assert len(starts) < PAGES / 4, "the host was not given up"
    pauses = [later - start for start, later in pairwise(starts) if later - start >= 0.9]
    assert len(pauses) >= 5


def test_no_request_can_ignore_retry_after(tmp_path: Path) -> None:
    one_at_a_time = replace(IMPOLITE, in_flight=1)  # else requests that are already open follow the response
    starts = starts_of(Limited(status_of=lambda number: 429 if number == 10 else 200), tmp_path, one_at_a_time)
    assert starts[10] >= starts[9] + 60.0


@slow
def test_a_host_with_some_errors_is_slowed_down_to_one_request_a_second(tmp_path: Path) -> None:
    web = Strained(status_of=lambda number: 500 if number % 2 else 200)
    starts = starts_of(web, tmp_path)
    last = starts[-100:]
    assert (last[-1] - last[0]) / 99 >= 0.99
