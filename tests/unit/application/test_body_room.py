"""Bodies of one process share a bounded memory. A page waits until others are stored, but never for ever."""

from threading import Semaphore, Thread

import pytest
from tests.support.patience import eventually

from wavecrawl.application.body_room import BodyRoom, PageShare


class Page(Thread):
    """A page in its own thread. It takes its next step when the test lets it."""

    def __init__(self, room: BodyRoom, *sizes: int) -> None:
        super().__init__(daemon=True)
        self._room = room
        self._sizes = sizes
        self._steps = Semaphore(0)
        self.tried = 0  # reservations so far, granted or not
        self.granted = 0

    def run(self) -> None:
        with self._room.page() as share:
            for size in self._sizes:
                self._steps.acquire()
                self.tried += 1
                share.reserve(size)
                self.granted += 1
            self._steps.acquire()

    def step(self) -> None:
        """Reserve the next size, or end."""
        self._steps.release()


def started(*pages: Page) -> None:
    for page in pages:
        page.start()


def test_a_body_waits_until_there_is_room() -> None:
    room = BodyRoom(100)
    first, second = Page(room, 60), Page(room, 60)
    started(first, second)
    first.step()
    assert eventually(lambda: first.granted == 1)
    second.step()
    assert eventually(lambda: len(room._held) == 2)
    assert (second.granted, room.held) == (0, 60)
    first.step()
    assert eventually(lambda: second.granted == 1)
    assert room.held == 60


def test_a_page_that_is_larger_than_the_room_gets_through() -> None:
    room = BodyRoom(100)
    with room.page() as share:
        share.reserve(1_000)
        assert room.held == 1_000
    assert room.held == 0


def test_pages_that_all_hold_memory_and_need_more_do_not_block_each_other() -> None:
    """As with redirects: each page keeps its first response while it reads its second."""
    room = BodyRoom(100)
    first, second = Page(room, 40, 60), Page(room, 40, 60)
    started(first, second)
    first.step()
    assert eventually(lambda: first.granted == 1)
    second.step()
    assert eventually(lambda: second.granted == 1)
    second.step()
    first.step()
    assert eventually(lambda: first.granted == 2)
    assert (second.granted, room.held) == (1, 140)
    first.step()
    assert eventually(lambda: second.granted == 2)
    assert room.held == 100


@pytest.mark.parametrize(("size", "held"), [(10, 10), (0, 0)])
def test_a_body_keeps_what_it_takes_and_not_what_it_might_take(size: int, held: int) -> None:
    room = BodyRoom(100)
    with room.page() as share:
        share.reserve(80)
        share.settle(size)
        assert room.held == held
        share.reserve(80)
        share.settle(5)
        assert room.held == held + 5
    assert room.held == 0


def test_a_page_without_a_response_takes_nothing() -> None:
    room = BodyRoom(100)
    with room.page() as share:
        share.settle(0)
        assert isinstance(share, PageShare)
    assert room.held == 0


def test_the_next_page_goes_on_when_the_oldest_ends_with_an_empty_body() -> None:
    room = BodyRoom(100)
    second = Page(room, 60, 60)
    with room.page() as oldest:
        oldest.reserve(40)
        oldest.settle(0)
        started(second)
        second.step()
        assert eventually(lambda: second.granted == 1)
        second.step()
        assert eventually(lambda: second.tried == 2)
        assert second.granted == 1
    assert eventually(lambda: second.granted == 2)
