from threading import Thread
from time import monotonic

import pytest
from tests.support.patience import HANG

from wavecrawl.application.parse_lock import ParseLock


def test_one_page_is_parsed_at_a_time() -> None:
    lock = ParseLock()
    now, most = [0], [0]

    def work() -> None:
        for _ in range(200):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
                now[0] -= 1

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert (most, now) == ([1], [0])


def test_requests_go_on_while_a_page_is_parsed_and_none_waits() -> None:
    lock = ParseLock()
    lock.wait_until_idle()
    with lock:
        lock.wait_until_idle()
        assert lock.waiting == 0


def test_no_request_starts_while_a_page_waits_to_be_parsed() -> None:
    lock = ParseLock()

    def read() -> None:
        with lock:
            pass

    with lock:
        reader = Thread(target=read)
        reader.start()
        until = monotonic() + HANG
        while not lock.waiting and monotonic() < until:
            reader.join(0.001)
        asker = Thread(target=lock.wait_until_idle)
        asker.start()
        asker.join(0.05)
        assert asker.is_alive()
    asker.join(HANG)
    reader.join(HANG)
    assert not asker.is_alive()
    assert lock.waiting == 0


def test_a_page_that_cannot_be_parsed_releases_the_lock() -> None:
    lock = ParseLock()
    with pytest.raises(ZeroDivisionError), lock:
        _ = 1 / lock.waiting
    with lock:
        lock.wait_until_idle()
