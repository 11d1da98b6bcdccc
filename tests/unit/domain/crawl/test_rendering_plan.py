"""Which pages a wave renders, and how they are divided into batches."""

from msgspec import structs
from msgspec.structs import replace

from wavecrawl.domain.crawl.batching import PlannedBatch, Speed
from wavecrawl.domain.crawl.frontier import NOT_RENDERED, Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import Plan, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.rendering_plan import RenderingPlan
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.rendering.learning import RenderLessons
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots

SITE = "http://site.example"
WAVES = WaveSettings(render_batch_size=3, min_batches=1)
AUTO = RenderSettings(learn_after=4, sample_every=0)


def key_of(path: str) -> str:
    return path.encode().hex().ljust(32, "0")


def frontier_of(*paths: str, fetched: tuple[str, ...] = (), complete: tuple[str, ...] = ()) -> Frontier:
    """Return a frontier whose URLs were found in this order; `fetched` and `complete` pages wait for a browser."""
    frontier = Frontier()
    for path in (*fetched, *complete, *paths):
        frontier.add(
            FoundUrl(
                url=f"{SITE}{path}",
                key=key_of(path),
                depth=path.count("/") - 1,
                parent=NO_PARENT,
                found_by=FoundBy.ROOT,
                phase=Phase.BFS,
                wave=1,
            )
        )
    waiting = ((path, Reason.RENDER) for path in fetched)
    for path, reason in (*waiting, *((path, Reason.RENDER_SAMPLE) for path in complete)):
        index = frontier.find(key_of(path))
        assert index is not None
        frontier.pop("site.example")
        frontier.plan(index, wave=1, batch=0)
        frontier.await_rendering(index, document=f"place of {path}", tries=1, reason=reason)
    return frontier


def plan(
    frontier: Frontier,
    lessons: RenderLessons | None = None,
    *,
    render: RenderSettings = AUTO,
    room: int = 100,
    is_available: bool = True,
    received: int = 0,
) -> Plan:
    rendering = RenderingPlan(
        frontier,
        lessons or RenderLessons(),
        render,
        root=key_of("/"),
        is_available=is_available,
        room=render.pages_within(received),
    )
    return plan_wave(
        frontier,
        wave=2,
        waves=WAVES,
        room=room,
        clock=0.0,
        interval=0.0,
        speed_of=lambda _: Speed(pace=Pace(interval=0.0, in_flight=5)),
        may_join=rendering.may_request,
        rendering=rendering,
    )


def shown(batches: tuple[PlannedBatch, ...]) -> list[tuple[str, list[tuple[str, bool]]]]:
    return [
        (batch.kind.value, [(item.url.removeprefix(SITE), item.render) for item in batch.items]) for batch in batches
    ]


def barren(*paths: str) -> RenderLessons:
    lessons = RenderLessons()
    for path in paths:
        lessons.learn(f"{SITE}{path}", added=False)
    return lessons


def test_fetched_pages_come_first_in_small_batches_of_their_own() -> None:
    planned = plan(frontier_of("/d", "/e", fetched=("/a", "/b", "/c", "/f")))
    assert shown(planned.batches) == [
        ("render", [("/a", True), ("/b", True), ("/c", True)]),
        ("render", [("/f", True)]),
        ("fetch", [("/d", True), ("/e", True)]),
    ]
    assert [item.document for item in planned.batches[0].items] == ["place of /a", "place of /b", "place of /c"]
    assert {item.tries for item in planned.batches[0].items} == {2}
    assert {item.document for item in planned.batches[2].items} == {""}


def test_fetched_pages_keep_their_room() -> None:
    frontier = frontier_of("/c", "/d", "/e", fetched=("/a", "/b"))
    assert shown(plan(frontier, room=3).batches)[1:] == [("fetch", [("/c", True)])]
    full = frontier_of("/c", fetched=("/a", "/b"))
    assert [kind for kind, _ in shown(plan(full, room=2).batches)] == ["render"]


def test_a_wave_renders_few_pages_of_a_template_at_first() -> None:
    frontier = frontier_of(fetched=tuple(f"/item-{number}" for number in range(9)))
    first = plan(frontier).batches
    assert sum(len(batch.items) for batch in first) == 4
    assert len(frontier.fetched()) == 5
    assert plan(frontier_of("/new", fetched=tuple(f"/item-{n}" for n in range(9))), room=10).batches[-1].items[0].key
    assert not [
        batch
        for batch in plan(frontier_of("/new", fetched=tuple(f"/item-{n}" for n in range(9))), room=9).batches
        if batch.kind is BatchKind.FETCH
    ], "those that wait for a later wave keep their room too"


def test_pages_that_need_no_browser_any_more_share_a_large_batch() -> None:
    lessons = barren(*(f"/item-{number}" for number in range(4)))
    frontier = frontier_of("/item-9", fetched=("/item-5", "/item-6", "/item-7", "/item-8"))
    planned = plan(frontier, lessons).batches
    assert shown(planned) == [
        ("render", [(f"/item-{number}", False) for number in (5, 6, 7, 8)]),
        ("fetch", [("/item-9", False)]),
    ]
    assert all(item.barren for batch in planned for item in batch.items)


def test_without_a_browser_nothing_asks_for_one() -> None:
    planned = plan(frontier_of("/b", fetched=("/a",)), is_available=False).batches
    assert shown(planned) == [("render", [("/a", False)]), ("fetch", [("/b", False)])]
    assert not planned[0].items[0].barren
    never = plan(frontier_of("/b"), render=replace(AUTO, mode=RenderMode.NEVER, screenshots=Screenshots.ALL))
    assert shown(never.batches) == [("fetch", [("/b", False)])]


def test_pages_that_are_rendered_anyway_need_no_lesson() -> None:
    lessons = barren(*(f"/item-{number}" for number in range(10)))
    paths = ("/", *(f"/item-{number}" for number in range(12, 20)))
    for render in (replace(AUTO, mode=RenderMode.ALWAYS), replace(AUTO, screenshots=Screenshots.ALL)):
        planned = plan(frontier_of(fetched=paths), lessons, render=render).batches
        assert [item.render for batch in planned for item in batch.items] == [True] * 9
    home = plan(frontier_of(fetched=paths), lessons, render=replace(AUTO, screenshots=Screenshots.HOME)).batches
    assert shown(home)[0] == ("render", [("/", True)])


def test_a_postponed_page_is_rendered_again_and_alone_if_its_batch_failed() -> None:
    frontier = frontier_of(fetched=("/a", "/b", "/c"))
    plan(frontier)
    for index, reason in ((0, Reason.WORKER_OUT_OF_TIME), (1, Reason.BATCH_FAILED), (2, Reason.WORKER_OUT_OF_TIME)):
        frontier.defer(index, reason=reason, detail="", tries=1, due=0.0, not_before=0.0)
    again = plan_again(
        frontier,
        [0, 1, 2],
        wave=3,
        waves=WAVES,
        clock=0.0,
        speed_of=lambda _: Speed(pace=Pace(interval=0.0, in_flight=5)),
        rendering=RenderingPlan(frontier, RenderLessons(), AUTO, root=key_of("/"), is_available=True),
    )
    assert shown(again.batches) == [("render", [("/a", True), ("/c", True)]), ("render", [("/b", True)])]


def test_a_plan_without_rendering_takes_fetched_pages_as_they_are() -> None:
    frontier = frontier_of("/b", fetched=("/a",))
    planned = plan_wave(
        frontier,
        wave=2,
        waves=WAVES,
        room=9,
        clock=0.0,
        interval=0.0,
        speed_of=lambda _: Speed(pace=Pace(interval=0.0, in_flight=5)),
    )
    assert shown(planned.batches) == [("render", [("/a", False)]), ("fetch", [("/b", False)])]


def test_a_restored_frontier_knows_the_fetched_pages() -> None:
    frontier = frontier_of("/d", fetched=("/a", "/b"))
    restored = Frontier()
    restored.apply(frontier.changes())
    restored.restore_queues()
    whole = Frontier()
    whole.extend(frontier.columns(0, len(frontier)))
    whole.restore_queues()
    for other in (restored, whole):
        assert [other.document(index) for index in other.fetched()] == ["place of /a", "place of /b"]
        assert shown(plan(other).batches) == [
            ("render", [("/a", True), ("/b", True)]),
            ("fetch", [("/d", True)]),
        ]


def test_fetched_pages_are_neither_evicted_nor_suppressed() -> None:
    frontier = frontier_of("/d", "/e", fetched=("/a", "/b"))
    assert sorted(map(frontier.url, frontier.unplanned())) == [f"{SITE}/d", f"{SITE}/e"]
    frontier.limit_waiting(2)
    assert frontier.evicted() == 2
    assert len(frontier.fetched()) == 2


def test_a_page_whose_record_is_lost_is_fetched_again() -> None:
    frontier = frontier_of(fetched=("/a",))
    plan(frontier)
    frontier.fetch_again(0)
    frontier.defer(0, reason=Reason.RECORDS_LOST, detail="", tries=1, due=0.0, not_before=0.0)
    assert shown(plan(frontier).batches) == [("fetch", [("/a", True)])]


def test_a_settled_page_waits_no_longer() -> None:
    frontier = frontier_of(fetched=("/a",))
    plan(frontier)
    frontier.settle(0, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    assert (frontier.fetched(), frontier.document(0)) == ([], "")


def test_a_resumed_crawl_renders_the_pages_that_waited() -> None:
    frontier = frontier_of("/d", fetched=("/a",))
    frontier.skip_waiting(Reason.CANCELLED)
    assert frontier.fetched() == []
    assert [row.detail for row in frontier.ledger({})] == [NOT_RENDERED, ""]
    assert frontier.unskip(Reason.CANCELLED) == [0, 1]
    assert shown(plan(frontier).batches) == [("render", [("/a", True)]), ("fetch", [("/d", True)])]
    assert [row.detail for row in frontier.ledger({})] == ["", ""]


def rendered_of(planned: Plan) -> list[str]:
    return [item.url.removeprefix(SITE) for batch in planned.batches for item in batch.items if item.render]


def test_the_first_complete_pages_of_a_template_are_rendered_and_the_others_wait_for_them() -> None:
    frontier = frontier_of(complete=tuple(f"/item-{number}" for number in range(6)))
    assert shown(plan(frontier).batches) == [("render", [("/item-0", True), ("/item-1", True)])]
    assert len(frontier.fetched()) == 4


def requested(planned: Plan) -> list[str]:
    return [
        item.url.removeprefix(SITE)
        for batch in planned.batches
        if batch.kind is BatchKind.FETCH
        for item in batch.items
    ]


def test_of_an_unknown_template_a_few_pages_are_requested_first() -> None:
    paths = ("/about", *(f"/item-{number}" for number in range(4)))
    assert requested(plan(frontier_of(*paths))) == list(paths), "no page of the site had a script so far"
    lessons = barren("/")
    assert requested(plan(frontier_of(*paths), lessons)) == ["/about", "/item-0", "/item-1"]
    waiting = frontier_of(*paths, complete=("/item-7", "/item-8"))
    assert requested(plan(waiting, lessons)) == ["/about"], "two pages of the template wait to be rendered"
    assert requested(plan(frontier_of(*paths, complete=("/item-7",)), lessons)) == ["/about", "/item-0"]


def test_the_others_follow_when_the_first_are_read() -> None:
    paths = tuple(f"/item-{number}" for number in range(4))
    for added in (True, False):
        assert requested(plan(frontier_of(*paths), learned(added=added))) == list(paths)
    lessons = barren("/")
    for _ in range(3):
        lessons.pass_by(f"{SITE}/item-100", AUTO)  # without scripts, or with an error
    assert requested(plan(frontier_of(*paths), lessons)) == list(paths)
    assert [lesson.unrendered for lesson in lessons.whole() if "item" in lesson.key] == [2]
    without = RenderLessons()
    without.pass_by(f"{SITE}/item-100", AUTO)
    assert len(without) == 0, "a site without scripts has no lessons"


def test_no_page_is_held_back_without_samples() -> None:
    paths, lessons = tuple(f"/item-{number}" for number in range(4)), barren("/")
    for render in (replace(AUTO, samples=0), replace(AUTO, mode=RenderMode.ALWAYS)):
        assert requested(plan(frontier_of(*paths), lessons, render=render)) == list(paths)
    assert requested(plan(frontier_of(*paths), lessons, is_available=False)) == list(paths)


def learned(*, added: bool, count: int = 2, is_complete: bool = True) -> RenderLessons:
    lessons = RenderLessons()
    for number in range(count):
        lessons.learn(f"{SITE}/item-{number + 100}", added=added, is_complete=is_complete)
    return lessons


def test_after_samples_without_gain_complete_pages_need_no_browser() -> None:
    frontier = frontier_of("/item-9", complete=tuple(f"/item-{number}" for number in range(6)))
    planned = plan(frontier, learned(added=False))
    assert shown(planned.batches) == [
        ("render", [(f"/item-{number}", False) for number in range(6)]),
        ("fetch", [("/item-9", True)]),
    ]
    assert not planned.batches[1].items[0].sample
    assert planned.batches[1].items[0].has_browser, "a shell of the template would still be rendered"


def test_after_samples_with_gain_all_are_rendered_some_more_in_each_wave() -> None:
    frontier = frontier_of("/item-99", complete=tuple(f"/item-{number}" for number in range(9)))
    planned = plan(frontier, learned(added=True))
    assert rendered_of(planned) == [*(f"/item-{number}" for number in range(6)), "/item-99"]
    assert planned.batches[-1].items[0].sample


def test_samples_without_gain_say_nothing_of_shells() -> None:
    assert rendered_of(plan(frontier_of(fetched=("/item-1",)), learned(added=False, count=50))) == ["/item-1"]


def test_complete_pages_are_sampled_only_in_mode_auto_and_if_that_is_wanted() -> None:
    for render in (
        replace(AUTO, samples=0),
        replace(AUTO, mode=RenderMode.NEVER),
        replace(AUTO, mode=RenderMode.ALWAYS),
    ):
        (batch,) = plan(frontier_of("/a"), render=render).batches
        assert not batch.items[0].sample
        assert batch.items[0].has_browser is (render.mode is RenderMode.ALWAYS)
    assert not rendered_of(plan(frontier_of(complete=("/a",)), render=replace(AUTO, samples=0)))


def test_a_template_that_fails_is_not_rendered_any_more_and_its_pages_say_so() -> None:
    lessons = RenderLessons()
    for number in range(4):
        lessons.fail(f"{SITE}/item-{number + 100}")
    planned = plan(frontier_of("/item-9", "/other", fetched=tuple(f"/item-{n}" for n in range(6))), lessons)
    assert rendered_of(planned) == ["/other"]
    flags = {
        item.url.removeprefix(SITE): (item.failing, item.barren) for batch in planned.batches for item in batch.items
    }
    assert flags == {**{f"/item-{n}": (True, False) for n in (*range(6), 9)}, "/other": (False, False)}
    samples = frontier_of("/item-9", complete=("/item-1",))
    planned = plan(samples, lessons)
    assert not rendered_of(planned)
    assert not any(item.sample for batch in planned.batches for item in batch.items)


def test_a_rendering_that_failed_is_repeated_when_it_is_due_in_a_batch_of_its_own() -> None:
    frontier = frontier_of(fetched=("/a", "/b"))
    for path in ("/a", "/b"):
        index = frontier.find(key_of(path))
        assert index is not None
        frontier.plan(index, wave=1, batch=0)
        if path == "/a":
            frontier.render_again(index, detail="its script failed", due=50.0, not_before=1_000.0)
        else:
            frontier.await_rendering(index, document="place of /b", tries=1)
    assert shown(plan(frontier).batches) == [("render", [("/b", True)])], "it is not due"
    alone = plan(frontier, room=1)
    assert [(batch.not_before, batch.items[0].failed_renders) for batch in alone.batches] == [(1_000.0, 1)]
    assert alone.clock >= 50.0, "nothing else is left, so the plan's clock advances"


def test_a_rendering_that_is_repeated_keeps_its_room_and_is_no_sample_any_more() -> None:
    frontier = frontier_of("/new", complete=("/a",))
    index = frontier.find(key_of("/a"))
    assert index is not None
    frontier.plan(index, wave=1, batch=0)
    frontier.render_again(index, detail="its script failed", due=50.0, not_before=0.0)
    assert shown(plan(frontier, room=1).batches) == [("render", [("/a", True)])]
    lessons = RenderLessons()
    for _ in range(4):
        lessons.fail(f"{SITE}/a")
    frontier.render_again(index, detail="its script failed", due=50.0, not_before=0.0)
    (batch,) = plan(frontier, lessons, room=1).batches
    assert (batch.items[0].render, batch.items[0].failing) == (False, True)


LIMITED = replace(AUTO, max_bytes=10, max_crawl_bytes=35)


def test_a_wave_renders_as_many_pages_as_bytes_are_left_for() -> None:
    """Each page may receive ten bytes. The others wait for what is left after the wave."""
    for render in (LIMITED, replace(LIMITED, mode=RenderMode.ALWAYS)):
        frontier = frontier_of("/f", fetched=("/a", "/b", "/c", "/d", "/e"))
        planned = plan(frontier, render=render, received=15).batches
        assert shown(planned) == [("render", [("/a", True), ("/b", True)]), ("fetch", [("/f", True)])]
        assert [frontier.url(index) for index in frontier.fetched()] == [f"{SITE}{path}" for path in ("/c", "/d", "/e")]


def test_without_bytes_no_page_is_rendered_and_none_waits() -> None:
    frontier = frontier_of("/f", fetched=("/a", "/b", "/c"), complete=("/d",))
    items = [item for batch in plan(frontier, render=LIMITED, received=26).batches for item in batch.items]
    assert [(item.url.removeprefix(SITE), item.render, item.over_budget) for item in items] == [
        (path, False, True) for path in ("/a", "/b", "/c", "/d", "/f")
    ]
    assert not any(item.barren or item.failing or item.sample for item in items)
    assert not any(item.has_browser for item in items), "scripts of complete pages may add links, and are not run"
    assert not frontier.fetched()


def test_without_bytes_pages_that_need_no_browser_are_as_before() -> None:
    lessons = barren(*(f"/item-{number}" for number in range(4)))
    for path in ("/bad-1", "/bad-2", "/bad-3", "/bad-4"):
        lessons.fail(f"{SITE}{path}")
    frontier = frontier_of("/item-5", fetched=("/item-6", "/bad-5"))
    before = [structs.replace(one) for one in lessons.whole()]
    items = [item for batch in plan(frontier, lessons, render=LIMITED, received=99).batches for item in batch.items]
    assert {(item.url.removeprefix(SITE), item.barren, item.failing, item.over_budget) for item in items} == {
        ("/item-6", True, False, False),
        ("/bad-5", False, True, False),
        ("/item-5", True, False, False),
    }
    assert lessons.whole() == before, "no lesson was used"


def test_without_bytes_no_page_waits_for_the_samples_of_others() -> None:
    lessons = barren("/other")
    paths = tuple(f"/item-{number}" for number in range(9))
    waiting = plan(frontier_of(*paths), lessons).batches
    assert sum(len(batch.items) for batch in waiting) < 9
    none_waits = plan(frontier_of(*paths), lessons, render=LIMITED, received=35).batches
    assert sum(len(batch.items) for batch in none_waits) == 9


def test_a_page_receives_at_most_the_bytes_of_the_crawl() -> None:
    assert (LIMITED.page_bytes, replace(LIMITED, max_crawl_bytes=7).page_bytes, AUTO.page_bytes) == (10, 7, 50_000_000)
    assert [LIMITED.pages_within(received) for received in (0, 5, 6, 25, 26, 35, 99)] == [3, 3, 2, 1, 0, 0, 0]
    assert replace(LIMITED, max_crawl_bytes=7).pages_within(0) == 1
    assert replace(LIMITED, max_bytes=0).pages_within(0) == 35
    assert AUTO.pages_within(10**18) > 10**9
