from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec import structs
from msgspec.structs import replace

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.politeness.waits import Wait, WaitReason
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import BatchRow, BatchSums, Lease, Progress, WaveRow

SUMS = BatchSums(records=3, fetched=2, bytes=100, faults=1, media=5, usage=Usage(gets=2.0, lambda_gb_seconds=0.5))


def planned(stores: Ports, crawl: CrawlId, count: int = 2) -> list[BatchId]:
    stores.waves.create(crawl, 1, planned=count)
    return [BatchId(crawl=crawl, wave=1, batch=number) for number in range(count)]


def lease(stores: Ports, batch: BatchId, owner: str = "w1", now: float = 100.0) -> Lease | None:
    return stores.batches.lease(batch, owner=owner, now=now, seconds=60.0)


def leased(stores: Ports, batch: BatchId, owner: str = "w1", now: float = 100.0) -> Lease:
    found = lease(stores, batch, owner, now)
    assert found is not None
    return found


def test_a_batch_comes_to_life_with_its_first_lease(stores: Ports, crawl: CrawlId) -> None:
    batches = planned(stores, crawl, 12)
    assert stores.batches.of_wave(crawl, 1) == []
    for batch in reversed(batches):
        leased(stores, batch)
    row = BatchRow(id=batches[3], attempts=1, done=False, leased_until=160.0, owner="w1", done_attempt=0)
    assert stores.batches.of_wave(crawl, 1)[3] == row
    assert [row.id for row in stores.batches.of_wave(crawl, 1)] == batches
    assert stores.batches.of_wave(crawl, 2) == []


def test_the_batches_of_a_crawl_are_those_of_its_waves_in_order(stores: Ports, crawl: CrawlId) -> None:
    assert stores.batches.of_crawl(crawl) == []
    batches = [BatchId(crawl=crawl, wave=wave, batch=batch) for wave in (1, 2, 10) for batch in (0, 1, 10)]
    for batch in reversed(batches):
        leased(stores, batch)
    leased(stores, BatchId(crawl=replace(crawl, crawl="another"), wave=1, batch=2))
    assert [row.id for row in stores.batches.of_crawl(crawl)] == batches
    assert stores.batches.of_crawl(crawl)[3:6] == stores.batches.of_wave(crawl, 2)


def test_a_wave_that_exists_is_not_created_again(stores: Ports, crawl: CrawlId) -> None:
    planned(stores, crawl)
    stores.waves.create(crawl, 1, planned=99)
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.planned == 2


def test_the_errors_that_a_plan_ended_count_once(stores: Ports, crawl: CrawlId) -> None:
    for _ in range(2):
        stores.waves.create(crawl, 1, planned=0, faults=3)
    stores.waves.create(crawl, 2, planned=1)
    assert (stores.waves.progress(crawl).faults, stores.waves.last(crawl)) == (3, 2)


def test_the_wait_of_the_last_wave_is_shown_until_its_batches_are_done(stores: Ports, crawl: CrawlId) -> None:
    asked = Wait(reason=WaitReason.RETRY_AFTER, host="a.example", until=160.0, seconds=60.0)
    first, second = planned(stores, crawl)
    assert stores.waves.progress(crawl).wait is None
    stores.waves.note_wait(crawl, 1, asked)
    assert stores.waves.progress(crawl).wait == asked
    others = Wait(reason=WaitReason.OTHER_CRAWLS, host="a.example", until=170.0)
    stores.waves.mark_sent(crawl, 1, at=170.0, wait=others)
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert (wave.sent_at, wave.wait) == (170.0, others)
    stores.batches.complete(leased(stores, first), SUMS)
    assert stores.waves.progress(crawl).wait == others
    stores.batches.complete(leased(stores, second), SUMS)
    assert stores.waves.progress(crawl).wait is None


def test_a_wave_without_batches_can_wait(stores: Ports, crawl: CrawlId) -> None:
    robots = Wait(reason=WaitReason.ROBOTS, host="a.example", until=115.0)
    planned(stores, crawl)
    stores.waves.note_wait(crawl, 2, robots)
    assert (stores.waves.progress(crawl).wait, stores.waves.last(crawl)) == (robots, 1)
    stores.waves.create(crawl, 3, planned=1)
    assert stores.waves.progress(crawl).wait is None


def test_a_wait_for_sitemaps_is_shown_after_the_batches_and_before_the_first_wave(
    stores: Ports, crawl: CrawlId
) -> None:
    delay = Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", until=160.0, seconds=60.0, for_sitemaps=True)
    stores.waves.note_wait(crawl, 1, delay)
    assert (stores.waves.progress(crawl).wait, stores.waves.progress(crawl).batches) == (delay, 0)
    batches = planned(stores, crawl)
    assert stores.waves.progress(crawl).batches == 2
    for batch in batches:
        stores.batches.complete(leased(stores, batch), SUMS)
    later = replace(delay, until=300.0)
    stores.waves.note_wait(crawl, 1, later)
    assert stores.waves.progress(crawl).wait == later


def test_a_free_batch_is_leased_to_one(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    assert lease(stores, batch) == Lease(id=batch, attempt=1, owner="w1", expires_at=160.0)
    assert lease(stores, batch, "w2", 159.0) is None
    row = stores.batches.of_wave(crawl, 1)[0]
    assert (row.leased_until, row.owner, row.attempts, row.done) == (160.0, "w1", 1, False)


def test_an_expired_lease_is_taken_over_one_attempt_higher(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    leased(stores, batch)
    assert leased(stores, batch, "w2", 160.0).attempt == 2


def test_completion_counts_once_and_adds_up(stores: Ports, crawl: CrawlId) -> None:
    first, second = planned(stores, crawl)
    mine = leased(stores, first)
    assert stores.batches.complete(mine, SUMS)
    assert not stores.batches.complete(mine, SUMS)
    assert stores.waves.read(crawl, 1) == WaveRow(wave=1, planned=2, done=1, sums=SUMS)
    assert stores.batches.complete(leased(stores, second), SUMS)
    double = BatchSums(
        records=6, fetched=4, bytes=200, faults=2, media=10, usage=Usage(gets=4.0, lambda_gb_seconds=1.0)
    )
    assert stores.waves.read(crawl, 1) == WaveRow(wave=1, planned=2, done=2, sums=double)
    rows = stores.batches.of_wave(crawl, 1)
    assert [(row.done, row.done_attempt) for row in rows] == [(True, 1), (True, 1)]


def test_a_done_batch_is_never_leased_again(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    stores.batches.complete(leased(stores, batch), SUMS)
    assert lease(stores, batch, "w2", 1e9) is None


def test_a_zombie_cannot_complete(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    zombie = leased(stores, batch)
    heir = leased(stores, batch, "w2", 160.0)
    assert not stores.batches.complete(zombie, SUMS)
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.done == 0
    assert stores.batches.complete(heir, SUMS)
    assert stores.batches.of_wave(crawl, 1)[0].done_attempt == 2


def test_a_closed_batch_is_done_without_records(stores: Ports, crawl: CrawlId) -> None:
    running, waiting, lost = planned(stores, crawl, 3)
    late = leased(stores, running)
    assert [stores.batches.close(one) for one in (running, waiting, lost)] == [True] * 3
    assert not stores.batches.complete(late, SUMS)
    assert not stores.batches.give_back(late)
    assert lease(stores, waiting, "w2", 1e9) is None
    rows = stores.batches.of_wave(crawl, 1)
    assert [(row.done, row.done_attempt) for row in rows] == [(True, 0)] * 3
    assert stores.waves.read(crawl, 1) == WaveRow(wave=1, planned=3, done=3)


def test_what_is_done_or_deleted_is_not_closed(stores: Ports, crawl: CrawlId) -> None:
    first, second = planned(stores, crawl)
    stores.batches.complete(leased(stores, first), SUMS)
    stores.batches.close(second)
    assert not stores.batches.close(first)
    assert not stores.batches.close(second)
    assert not stores.batches.close(replace(first, wave=2))
    assert stores.batches.of_wave(crawl, 1)[0].done_attempt == 1
    assert stores.waves.read(crawl, 1) == WaveRow(wave=1, planned=2, done=2, sums=SUMS)


def test_an_expired_lease_still_completes_if_no_worker_took_over(stores: Ports, crawl: CrawlId) -> None:
    mine = leased(stores, planned(stores, crawl)[0], now=0.0)
    assert stores.batches.complete(mine, SUMS)


def test_a_forged_owner_cannot_complete(stores: Ports, crawl: CrawlId) -> None:
    mine = leased(stores, planned(stores, crawl)[0])
    assert not stores.batches.complete(structs.replace(mine, owner="w2"), SUMS)


def test_leases_of_the_dead_are_released(stores: Ports, crawl: CrawlId) -> None:
    first, second, third = planned(stores, crawl, 3)
    leased(stores, first, "dead")
    leased(stores, second, "alive")
    stores.batches.complete(leased(stores, third, "dead"), SUMS)
    assert stores.batches.release(crawl, owner="dead") == 1
    assert leased(stores, first, "w2").attempt == 2
    assert lease(stores, second, "w2") is None
    assert stores.batches.release(crawl) == 2
    assert lease(stores, third, "w2") is None


def test_who_stops_everybody_blames_no_batch(stores: Ports, crawl: CrawlId) -> None:
    (batch,) = planned(stores, crawl, 1)
    for _ in range(3):
        leased(stores, batch, "killed")
        stores.batches.release(crawl)
    fourth = leased(stores, batch, "w")
    assert (fourth.attempt, fourth.deliveries) == (4, 1)
    stores.batches.release(crawl, owner="w")
    fifth = leased(stores, batch, "w2")
    assert (fifth.attempt, fifth.deliveries) == (5, 2)


def test_usage_outside_the_batches_is_added_to_the_waves(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl, 1)[0]
    stores.waves.add_usage(crawl, 1, Usage(write_units=1.5, gets=1.0))
    stores.batches.complete(leased(stores, batch), SUMS)
    stores.waves.add_usage(crawl, 1, Usage(gets=1.0))
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.sums.usage == Usage(gets=4.0, lambda_gb_seconds=0.5, write_units=1.5)
    assert (wave.planned, wave.done, wave.sums.records) == (1, 1, 3)


def test_a_wave_without_batches_has_usage_all_the_same(stores: Ports, crawl: CrawlId) -> None:
    stores.waves.add_usage(crawl, 4, Usage(gets=1.0))
    assert stores.waves.read(crawl, 4) == WaveRow(wave=4, planned=0, sums=BatchSums(usage=Usage(gets=1.0)))


def test_the_newest_token_counts(stores: Ports, crawl: CrawlId) -> None:
    planned(stores, crawl)
    stores.waves.store_token(crawl, 1, "one")
    stores.waves.store_token(crawl, 1, "two")
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.token == "two"
    assert stores.waves.read(crawl, 9) is None


def test_a_token_gives_way_to_none_that_was_asked_for_before(stores: Ports, crawl: CrawlId) -> None:
    planned(stores, crawl)
    assert stores.waves.store_token(crawl, 1, "one", order=100.001)
    assert stores.waves.store_token(crawl, 1, "again", order=100.001)
    assert stores.waves.store_token(crawl, 1, "two", order=900.0)
    assert not stores.waves.store_token(crawl, 1, "zombie", order=100.002)
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.token == "two"


def test_who_fails_gives_the_batch_back_and_the_attempt_counts(stores: Ports, crawl: CrawlId) -> None:
    batch, other = planned(stores, crawl)
    mine = leased(stores, batch)
    leased(stores, other)
    assert stores.batches.give_back(mine)
    assert stores.batches.give_back(mine)  # as if the first response was lost
    heir = leased(stores, batch, "w2", 101.0)
    assert (heir.attempt, heir.deliveries) == (2, 2)
    assert lease(stores, other, "w2", 101.0) is None


def test_only_the_latest_lease_of_an_open_batch_can_be_given_back(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    zombie = leased(stores, batch)
    heir = leased(stores, batch, "w2", 160.0)
    assert not stores.batches.give_back(zombie)
    assert not stores.batches.give_back(structs.replace(heir, owner="w3"))
    assert lease(stores, batch, "w3", 161.0) is None
    assert stores.batches.complete(heir, SUMS)
    assert not stores.batches.give_back(heir)


def test_the_usage_of_a_crawl_is_that_of_all_its_waves(stores: Ports, crawl: CrawlId) -> None:
    assert stores.waves.usage(crawl) == Usage()
    stores.waves.add_usage(crawl, 1, Usage(gets=1.0, puts=2.0))
    stores.waves.add_usage(crawl, 12, Usage(gets=3.0))
    stores.waves.add_usage(replace(crawl, crawl="c-other"), 1, Usage(gets=50.0))
    assert stores.waves.usage(crawl) == Usage(gets=4.0, puts=2.0)


def test_the_last_wave_is_the_last_that_has_batches(stores: Ports, crawl: CrawlId) -> None:
    stores.waves.add_usage(crawl, 1, Usage(gets=1.0))
    assert stores.waves.last(crawl) == 0
    for wave in (1, 2, 11):
        stores.waves.create(crawl, wave, planned=1)
    for wave in (12, 13):
        stores.waves.add_usage(crawl, wave, Usage(gets=1.0))
    assert stores.waves.last(crawl) == 11


def test_one_of_many_concurrent_leases_succeeds(another: Callable[[], Ports], crawl: CrawlId) -> None:
    workers = [another() for _ in range(4)]
    batches = planned(workers[0], crawl, 20)
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(lease, workers[n % 4], batch, f"w{n}") for batch in batches for n in range(8)]
        won = [job.result() for job in jobs if job.result()]
    assert sorted(one.id.batch for one in won if one) == list(range(20))


def test_the_wave_counts_exactly_under_many_completions(another: Callable[[], Ports], crawl: CrawlId) -> None:
    workers = [another() for _ in range(4)]
    batches = planned(workers[0], crawl, 40)
    leases = [leased(workers[0], batch) for batch in batches]
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(workers[n % 4].batches.complete, one, SUMS) for one in leases for n in range(4)]
        assert sum(job.result() for job in jobs) == 40
    wave = workers[0].waves.read(crawl, 1)
    assert wave is not None
    assert (wave.done, wave.sums.records) == (40, 120)


def test_progress_is_the_sum_of_the_waves(stores: Ports, crawl: CrawlId) -> None:
    first, _ = planned(stores, crawl)
    stores.batches.complete(leased(stores, first), SUMS)
    stores.waves.create(crawl, 3, planned=3)  # the second wave had nothing to fetch and is not stored
    second = BatchId(crawl=crawl, wave=3, batch=0)
    stores.batches.complete(leased(stores, second), SUMS)
    usage = Usage(gets=4.0, lambda_gb_seconds=1.0)
    assert stores.waves.progress(crawl) == Progress(
        waves=3, batches=5, batches_done=2, records=6, fetched=4, bytes=200, faults=2, media=10, usage=usage
    )


def test_the_records_of_unfinished_batches_are_shown_and_not_counted(stores: Ports, crawl: CrawlId) -> None:
    batches = planned(stores, crawl, 3)
    done, running, stale = (leased(stores, batch) for batch in batches)
    for lease_, records in ((done, 7), (running, 20), (running, 40), (stale, 11)):
        stores.batches.note_records(lease_, records)
    stores.batches.complete(done, SUMS)
    stores.batches.note_records(done, 8)
    leased(stores, batches[2], "w2", now=200.0)
    stores.batches.note_records(stale, 99)
    progress = stores.waves.progress(crawl)
    assert (progress.records, progress.in_progress) == (3, 40 + 11)
    wave = stores.waves.read(crawl, 1)
    assert wave is not None
    assert wave.sums.records == 3


def test_the_progress_of_several_crawls_is_that_of_each(stores: Ports, crawl: CrawlId) -> None:
    other = replace(crawl, crawl="other")
    stores.waves.create(crawl, 1, planned=2)
    stores.waves.create(other, 1, planned=7)
    assert [one.batches for one in stores.waves.progress_of_each([other, crawl])] == [7, 2]
    assert stores.waves.progress_of_each([]) == []


def test_a_wave_that_is_over_has_nothing_in_progress(stores: Ports, crawl: CrawlId) -> None:
    (batch,) = planned(stores, crawl, 1)
    held = leased(stores, batch)
    stores.batches.note_records(held, 40)
    assert stores.waves.progress(crawl).in_progress == 40
    stores.batches.complete(held, SUMS)
    assert stores.waves.progress(crawl).in_progress == 0


def run_waves(stores: Ports, crawl: CrawlId, numbers: range) -> None:
    """Run waves of one batch each."""
    for number in numbers:
        stores.waves.create(crawl, number, planned=1)
        stores.batches.complete(leased(stores, BatchId(crawl=crawl, wave=number, batch=0)), SUMS)


def test_the_sums_of_many_waves_are_exact(stores: Ports, crawl: CrawlId) -> None:
    """A store may keep totals of waves that are over: usage that is added to them later counts as well."""
    usage = Usage(puts=1.0)
    for number in range(1, 50):
        if number % 7:
            run_waves(stores, crawl, range(number, number + 1))
        elif number % 2:
            stores.waves.add_usage(crawl, number, usage)
    stores.waves.add_usage(crawl, 14, usage)  # of a wave that had nothing to fetch and is not stored
    batches = 49 - 7
    stores.waves.add_usage(crawl, 1, usage)
    stores.waves.add_usage(crawl, 40, usage, create=False)
    stores.waves.add_usage(crawl, 49, usage)
    assert stores.waves.last(crawl) == 48
    expected = Usage(puts=4.0 + 4.0, gets=2.0 * batches, lambda_gb_seconds=0.5 * batches)
    assert stores.waves.usage(crawl) == expected
    assert stores.waves.progress(crawl) == Progress(
        waves=49,
        batches=batches,
        batches_done=batches,
        records=3 * batches,
        fetched=2 * batches,
        bytes=100 * batches,
        faults=batches,
        media=5 * batches,
        usage=expected,
    )


def test_the_last_wave_of_many_is_shown_while_it_runs(stores: Ports, crawl: CrawlId) -> None:
    run_waves(stores, crawl, range(1, 23))
    stores.waves.create(crawl, 23, planned=3)
    held = leased(stores, BatchId(crawl=crawl, wave=23, batch=1))
    stores.batches.note_records(held, 9)
    progress = stores.waves.progress(crawl)
    assert (progress.waves, progress.batches, progress.batches_done, progress.in_progress) == (23, 25, 22, 9)


def test_nothing_is_added_to_a_crawl_that_was_deleted(stores: Ports, crawl: CrawlId) -> None:
    stores.waves.add_usage(crawl, 30, Usage(puts=1.0), create=False)
    assert stores.waves.progress(crawl) == Progress()


def test_a_note_does_not_bring_back_a_deleted_batch(stores: Ports, crawl: CrawlId) -> None:
    (batch,) = planned(stores, crawl, 1)
    never = Lease(id=batch, attempt=1, owner="w1", expires_at=160.0)
    stores.batches.note_records(never, 40)
    assert stores.batches.of_wave(crawl, 1) == []


def test_a_crawl_without_waves_has_come_nowhere(stores: Ports, crawl: CrawlId) -> None:
    assert stores.waves.progress(crawl) == Progress()


def test_a_batch_that_has_no_row_yet_is_not_found(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    assert stores.batches.read(batch) is None
    leased(stores, batch)
    assert stores.batches.read(batch) == stores.batches.of_wave(crawl, 1)[0]


def test_a_postponed_batch_keeps_its_new_start(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    stores.batches.postpone(batch, starts_at=250.0)
    assert stores.batches.read(batch) == BatchRow(id=batch, starts_at=250.0)
    first = leased(stores, batch)
    assert (first.attempt, first.deliveries) == (1, 1)
    stores.batches.postpone(batch, starts_at=300.0)
    found = stores.batches.read(batch)
    assert found is not None
    assert (found.starts_at, found.leased_until) == (300.0, 160.0)
    assert stores.batches.complete(first, SUMS)
    stores.batches.postpone(batch, starts_at=999.0)
    assert stores.batches.read(batch) == structs.replace(found, done=True, leased_until=0.0, done_attempt=1)


def test_forgiven_deliveries_do_not_count(stores: Ports, crawl: CrawlId) -> None:
    done, failed, new = planned(stores, crawl, 3)
    assert stores.batches.complete(leased(stores, done), SUMS)
    for now in (100.0, 200.0, 300.0):
        assert leased(stores, failed, now=now).deliveries == now / 100
    assert stores.batches.forgive(failed)
    assert lease(stores, failed, now=359.0) is None, "the lease is lost"
    again = leased(stores, failed, now=400.0)
    assert (again.attempt, again.deliveries) == (4, 1)
    stores.batches.postpone(new, starts_at=1.0)
    assert not stores.batches.forgive(done)
    assert not stores.batches.forgive(new)
    assert not stores.batches.forgive(replace(new, batch=99))


def test_a_worker_of_a_deleted_crawl_creates_no_rows(stores: Ports, crawl: CrawlId) -> None:
    batch = planned(stores, crawl)[0]
    held = leased(stores, batch)
    stores.erasure.erase(crawl)
    assert not stores.batches.complete(held, SUMS)
    assert not stores.batches.give_back(held)
    stores.batches.note_records(held, 5)
    stores.waves.add_usage(crawl, 1, Usage(gets=1.0), create=False)
    assert stores.batches.of_crawl(crawl) == []
    assert stores.waves.read(crawl, 1) is None


def test_a_batch_whose_wave_was_deleted_is_not_completed(stores: Ports, crawl: CrawlId) -> None:
    stores.erasure.erase(crawl)
    held = leased(stores, BatchId(crawl=crawl, wave=1, batch=0))
    assert not stores.batches.complete(held, SUMS)
    assert stores.waves.read(crawl, 1) is None
