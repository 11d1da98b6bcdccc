from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.contract.stores import Stores

from wavecrawl.ports.repeats import KeptAnswer, Seen

ANSWER = KeptAnswer(status=202, body='{"crawl": "é"}', headers={"location": "/v1/crawls/c1"})
DAY = 86_400.0


def begin(stores: Stores, *, now: float, tenant: str = "t", key: str = "k", fingerprint: str = "f") -> Seen | None:
    return stores.repeats.begin(tenant, key, fingerprint=fingerprint, now=now, seconds=30.0)


def test_the_first_does_the_work(stores: Stores) -> None:
    assert begin(stores, now=100.0) is None
    assert begin(stores, now=101.0, fingerprint="other") == Seen(fingerprint="f", answer=None)


def test_an_answer_is_kept_for_a_day(stores: Stores) -> None:
    begin(stores, now=100.0)
    stores.repeats.keep("t", "k", ANSWER, now=110.0)
    assert begin(stores, now=110.0 + DAY - 1.0) == Seen(fingerprint="f", answer=ANSWER)
    assert begin(stores, now=110.0 + DAY + 1.0) is None


def test_work_that_never_ended_is_taken_over(stores: Stores) -> None:
    begin(stores, now=100.0)
    assert begin(stores, now=129.0) == Seen(fingerprint="f", answer=None)
    assert begin(stores, now=131.0, fingerprint="g") is None
    assert begin(stores, now=132.0) == Seen(fingerprint="g", answer=None)


def test_work_that_ended_is_not_taken_over(stores: Stores) -> None:
    begin(stores, now=100.0)
    stores.repeats.keep("t", "k", ANSWER, now=110.0)
    assert begin(stores, now=999.0, fingerprint="g") == Seen(fingerprint="f", answer=ANSWER)


def test_what_did_nothing_is_forgotten(stores: Stores) -> None:
    begin(stores, now=100.0)
    stores.repeats.forget("t", "k")
    assert begin(stores, now=101.0, fingerprint="g") is None


def test_tenants_and_keys_are_kept_apart(stores: Stores) -> None:
    begin(stores, now=100.0)
    assert begin(stores, now=100.0, tenant="u") is None
    assert begin(stores, now=100.0, key="K") is None
    assert begin(stores, now=100.0, key="a#b/ü" * 60) is None


def test_an_answer_that_nobody_began_is_not_kept(stores: Stores) -> None:
    stores.repeats.keep("t", "k", ANSWER, now=110.0)
    assert begin(stores, now=111.0) is None


def test_of_many_at_once_one_does_the_work(another: Callable[[], Stores]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: begin(workers[n % 4], now=100.0 + n / 100), range(32)))
    assert answers.count(None) == 1
    assert answers.count(Seen(fingerprint="f", answer=None)) == 31
