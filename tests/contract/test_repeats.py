from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.repeats import Hold, KeptAnswer, Seen

ANSWER = KeptAnswer(status=202, body='{"crawl": "é"}', headers={"location": "/v1/crawls/c1"})
OTHER = KeptAnswer(status=409, body="", headers={})
DAY = 86_400.0


def begin(stores: Ports, *, now: float, tenant: str = "t", key: str = "k", fingerprint: str = "f") -> Hold | Seen:
    return stores.repeats.begin(tenant, key, fingerprint=fingerprint, now=now, seconds=30.0)


def held(stores: Ports, *, now: float, fingerprint: str = "f") -> Hold:
    hold = begin(stores, now=now, fingerprint=fingerprint)
    assert isinstance(hold, Hold)
    return hold


def test_the_first_does_the_work(stores: Ports) -> None:
    assert held(stores, now=100.0)
    assert begin(stores, now=101.0, fingerprint="other") == Seen(fingerprint="f", answer=None)


def test_an_answer_is_kept_for_a_day(stores: Ports) -> None:
    stores.repeats.keep(held(stores, now=100.0), ANSWER, now=110.0)
    assert begin(stores, now=110.0 + DAY - 1.0) == Seen(fingerprint="f", answer=ANSWER)
    assert held(stores, now=110.0 + DAY + 1.0)


def test_a_key_and_its_answer_are_kept_as_long_as_asked_for(stores: Ports) -> None:
    hold = stores.repeats.begin("t", "k", fingerprint="f", now=100.0, seconds=3 * DAY, kept=3 * DAY)
    assert isinstance(hold, Hold)
    assert begin(stores, now=2 * DAY) == Seen(fingerprint="f", answer=None)
    stores.repeats.keep(hold, ANSWER, now=2 * DAY)
    assert begin(stores, now=5 * DAY - 1.0) == Seen(fingerprint="f", answer=ANSWER)
    assert isinstance(begin(stores, now=5 * DAY + 1.0), Hold)


def test_work_that_never_ended_is_taken_over(stores: Ports) -> None:
    begin(stores, now=100.0)
    assert begin(stores, now=129.0) == Seen(fingerprint="f", answer=None)
    assert held(stores, now=131.0, fingerprint="g")
    assert begin(stores, now=132.0) == Seen(fingerprint="g", answer=None)


def test_work_that_ended_is_not_taken_over(stores: Ports) -> None:
    stores.repeats.keep(held(stores, now=100.0), ANSWER, now=110.0)
    assert begin(stores, now=999.0, fingerprint="g") == Seen(fingerprint="f", answer=ANSWER)


def test_what_did_nothing_is_forgotten(stores: Ports) -> None:
    stores.repeats.forget(held(stores, now=100.0))
    assert held(stores, now=101.0, fingerprint="g")


def test_an_attempt_that_was_taken_over_stores_no_response(stores: Ports) -> None:
    late = held(stores, now=100.0)
    later = held(stores, now=130.0, fingerprint="g")
    stores.repeats.keep(late, ANSWER, now=131.0)
    assert begin(stores, now=132.0) == Seen(fingerprint="g", answer=None)
    stores.repeats.keep(later, OTHER, now=133.0)
    stores.repeats.keep(late, ANSWER, now=134.0)
    assert begin(stores, now=135.0) == Seen(fingerprint="g", answer=OTHER)


def test_an_attempt_that_was_taken_over_deletes_nothing(stores: Ports) -> None:
    late = held(stores, now=100.0)
    later = held(stores, now=130.0, fingerprint="g")
    stores.repeats.forget(late)
    assert begin(stores, now=131.0) == Seen(fingerprint="g", answer=None)
    stores.repeats.keep(later, OTHER, now=132.0)
    stores.repeats.forget(late)
    assert begin(stores, now=133.0) == Seen(fingerprint="g", answer=OTHER)


def test_a_late_attempt_that_was_not_taken_over_stores_its_response(stores: Ports) -> None:
    stores.repeats.keep(held(stores, now=100.0), ANSWER, now=190.0)
    assert begin(stores, now=191.0) == Seen(fingerprint="f", answer=ANSWER)


def test_tenants_and_keys_are_kept_apart(stores: Ports) -> None:
    begin(stores, now=100.0)
    assert isinstance(begin(stores, now=100.0, tenant="u"), Hold)
    assert isinstance(begin(stores, now=100.0, key="K"), Hold)
    assert isinstance(begin(stores, now=100.0, key="a#b/ü" * 60), Hold)


def test_an_unknown_attempt_stores_no_response(stores: Ports) -> None:
    stores.repeats.keep(Hold(tenant="t", key="k", until=130.0), ANSWER, now=110.0)
    stores.repeats.forget(Hold(tenant="t", key="k", until=130.0))
    assert held(stores, now=111.0)


def test_of_many_at_once_one_does_the_work(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: begin(workers[n % 4], now=100.0 + n / 100), range(32)))
    assert sum(isinstance(answer, Hold) for answer in answers) == 1
    assert answers.count(Seen(fingerprint="f", answer=None)) == 31
