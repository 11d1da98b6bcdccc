"""URLs that may lead into a trap join a wave a few at a time; the others of their depth do not wait for them."""

import pytest
from tests.support.short_keys import key_of

from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gradual import GradualWave
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import plan_wave
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.rules import TrapRules
from wavecrawl.domain.traps.settings import TrapSettings

FACETS = [f"/shop?colour={number}" for number in range(8)]


def frontier_of(*found: tuple[str, int, FoundBy], strategy: Strategy = Strategy.BFS) -> Frontier:
    """Return a frontier with a root that is done, and these paths, each with its depth and how it was found."""
    frontier = Frontier(strategy)
    for path, depth, found_by in (("/", 0, FoundBy.ROOT), *found):
        frontier.add(
            FoundUrl(
                url=f"https://site.example{path}",
                key=key_of(path),
                depth=depth,
                parent=0 if found_by in (FoundBy.LINK, FoundBy.REDIRECT) else NO_PARENT,
                found_by=found_by,
                phase=Phase.BFS,
                wave=1,
            )
        )
    frontier.plan(0, wave=1, batch=0)
    return frontier


def waves(frontier: Frontier, *, room: int = 1_000, first_urls: int = 3) -> list[list[str]]:
    """Return the paths of all waves, if no page is evidence of anything."""
    found: list[list[str]] = []
    families = Families()
    for wave in range(2, 20):
        rules = TrapRules(TrapSettings(first_urls=first_urls), families)
        plan = plan_wave(
            frontier,
            wave=wave,
            waves=WaveSettings(),
            room=room,
            clock=float(wave),
            interval=0.0,
            speed_of=lambda _: Speed(pace=Pace(interval=0.0, in_flight=1)),
            may_join=GradualWave(frontier, rules).may_join,
        )
        if not plan.batches:
            return found
        items = [item for batch in plan.batches for item in batch.items]
        found.append([item.url.removeprefix("https://site.example") for item in items])
        for item in items:
            rules.count(item.url, parent="https://site.example/")
    raise AssertionError("the waves do not end")


def test_the_others_of_their_depth_do_not_wait_and_those_below_do() -> None:
    frontier = frontier_of(
        *((path, 1, FoundBy.LINK) for path in FACETS), ("/a", 1, FoundBy.LINK), ("/b", 2, FoundBy.LINK)
    )
    assert waves(frontier) == [[*FACETS[:3], "/a"], [*FACETS[3:], "/b"]]


def test_urls_below_wait_until_their_depth_is_done() -> None:
    below = [f"/shop/{number}" for number in range(3)]
    frontier = frontier_of(*((path, 2, FoundBy.LINK) for path in below), *((path, 1, FoundBy.LINK) for path in FACETS))
    assert waves(frontier, first_urls=2) == [FACETS[:2], FACETS[2:6], [*FACETS[6:], *below]]


def test_best_first_goes_on_with_the_next_best() -> None:
    found = [*((path, 1, FoundBy.LINK) for path in FACETS), ("/b", 2, FoundBy.LINK)]
    assert waves(frontier_of(*found, strategy=Strategy.BEST_FIRST)) == [[*FACETS[:3], "/b"], FACETS[3:]]


@pytest.mark.parametrize("found_by", [FoundBy.SITEMAP, FoundBy.LIST, FoundBy.MEMORY])
def test_urls_that_no_page_led_to_are_not_limited(found_by: FoundBy) -> None:
    assert waves(frontier_of(*((path, 1, found_by) for path in FACETS))) == [FACETS]


def test_the_room_of_a_crawl_is_filled_with_what_may_join() -> None:
    frontier = frontier_of(*((path, 1, FoundBy.LINK) for path in FACETS), ("/a", 1, FoundBy.LINK))
    assert waves(frontier, room=4)[0] == [*FACETS[:3], "/a"]


def test_a_limit_of_zero_limits_nothing() -> None:
    assert waves(frontier_of(*((path, 1, FoundBy.LINK) for path in FACETS)), first_urls=0) == [FACETS]
