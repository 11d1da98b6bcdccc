from threading import Thread
from time import monotonic

import pytest

from wavecrawl.application.desk import Desk

PATIENCE = 10.0  # seconds


def test_one_page_is_read_at_a_time() -> None:
    desk = Desk()
    now, most = [0], [0]

    def work() -> None:
        for _ in range(200):
            with desk:
                now[0] += 1
                most[0] = max(most[0], now[0])
                now[0] -= 1

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert (most, now) == ([1], [0])


def test_there_is_room_while_a_page_is_read_and_none_waits() -> None:
    desk = Desk()
    desk.wait_for_room()
    with desk:
        desk.wait_for_room()
        assert desk.unread == 0


def test_nobody_asks_for_more_while_a_page_waits_to_be_read() -> None:
    desk = Desk()

    def read() -> None:
        with desk:
            pass

    with desk:
        reader = Thread(target=read)
        reader.start()
        until = monotonic() + PATIENCE
        while not desk.unread and monotonic() < until:
            reader.join(0.001)
        asker = Thread(target=desk.wait_for_room)
        asker.start()
        asker.join(0.05)
        assert asker.is_alive()
    asker.join(PATIENCE)
    reader.join(PATIENCE)
    assert not asker.is_alive()
    assert desk.unread == 0


def test_a_page_that_cannot_be_read_leaves_the_desk_free() -> None:
    desk = Desk()
    with pytest.raises(ZeroDivisionError), desk:
        _ = 1 / desk.unread
    with desk:
        desk.wait_for_room()
