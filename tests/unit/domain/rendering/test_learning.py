"""Where rendering adds nothing, it stops being asked for; a sample is rendered again later."""

from collections.abc import Iterable

from wavecrawl.domain.rendering.learning import RenderLessons
from wavecrawl.domain.rendering.settings import RenderSettings

SETTINGS = RenderSettings(learn_after=3, sample_every=4)
SHOP = "http://site.example/shop"


def learned(outcomes: Iterable[bool], *, folder: str = f"{SHOP}/item-") -> RenderLessons:
    lessons = RenderLessons()
    for number, added in enumerate(outcomes):
        lessons.learn(f"{folder}{number}", added=added)
    return lessons


def asks(lessons: RenderLessons, count: int, *, settings: RenderSettings = SETTINGS) -> list[bool]:
    return [lessons.may_ask(f"{SHOP}/item-{number + 100}", settings) for number in range(count)]


def test_a_template_is_closed_after_pages_in_a_row_without_gain() -> None:
    assert asks(learned([False] * 2), 2) == [True, True]
    assert asks(learned([False] * 3), 2) == [False, False]
    assert asks(learned([False, False, True, False, False]), 1) == [True]
    assert learned([False] * 3).may_ask(f"{SHOP}/about", SETTINGS), "another template of the folder"


def test_one_page_of_so_many_is_a_sample() -> None:
    lessons = learned([False] * 3)
    assert asks(lessons, 6) == [False, False, False, True, False, False], "no second one before the first is rendered"
    assert lessons.still_wants(f"{SHOP}/item-103", SETTINGS)
    assert not lessons.still_wants(f"{SHOP}/item-104", SETTINGS)
    assert asks(lessons, 2) == [False, True]
    assert not any(asks(learned([False] * 3), 20, settings=RenderSettings(learn_after=3, sample_every=0)))


def test_a_sample_with_gain_opens_the_template() -> None:
    lessons = learned([False] * 3)
    lessons.learn(f"{SHOP}/item-9", added=True)
    assert asks(lessons, 3) == [True, True, True]


def test_a_folder_of_different_names_is_closed_after_twice_as_many() -> None:
    names = ("about", "team", "jobs", "press", "terms", "contact")
    lessons = RenderLessons()
    for name in names[:5]:
        lessons.learn(f"{SHOP}/{name}", added=False)
    assert lessons.may_ask(f"{SHOP}/privacy", SETTINGS)
    lessons.learn(f"{SHOP}/{names[5]}", added=False)
    assert not lessons.may_ask(f"{SHOP}/privacy", SETTINGS)
    assert lessons.may_ask(f"{SHOP}/a/b", SETTINGS), "another folder"


def test_a_template_with_gain_counts_more_than_its_folder() -> None:
    lessons = learned([True])
    for name in ("about", "team", "jobs", "press", "terms", "contact"):
        lessons.learn(f"{SHOP}/{name}", added=False)
    assert not lessons.may_ask(f"{SHOP}/privacy", SETTINGS)
    assert lessons.may_ask(f"{SHOP}/item-5", SETTINGS)


def test_a_wave_renders_few_pages_of_a_kind_at_first() -> None:
    assert dict(RenderLessons().rooms(f"{SHOP}/item-1", SETTINGS)) == {f"{SHOP}/item-{{n}}": 3, f"{SHOP}/*": 6}
    some = learned([True, True, False])
    assert dict(some.rooms(f"{SHOP}/item-1?a=1", SETTINGS)) == {f"{SHOP}/item-{{n}}?a": 3, f"{SHOP}/*": 10}
    assert dict(some.rooms(f"{SHOP}/item-1", SETTINGS)) == {f"{SHOP}/item-{{n}}": 5, f"{SHOP}/*": 10}


def test_replayed_changes_give_the_same_lessons() -> None:
    live, replayed = RenderLessons(limit=6), RenderLessons(limit=6)
    for wave in range(5):
        for number in range(3):
            live.learn(f"http://site.example/{'abcde'[wave]}/{number}", added=number == wave)
        asks(live, 2)
        replayed.apply(live.delta())
    assert [lesson.key for lesson in live.whole()] == [lesson.key for lesson in replayed.whole()]
    assert len(live) == len(replayed) == 6
    restored = RenderLessons(limit=6)
    restored.apply(live.whole())
    assert repr(restored.whole()) == repr(live.whole())


def test_pages_of_a_folder_are_sampled_until_five_templates_gained_nothing() -> None:
    lessons = RenderLessons()
    names = [name * 3 for name in "abcdefghijkl"]
    sampled = []
    for name in names:
        if not lessons.leaves_complete(f"{SHOP}/{name}-1", SETTINGS):
            sampled.append(name)
            for number in range(SETTINGS.samples):
                lessons.learn(f"{SHOP}/{name}-{number}", added=False, is_complete=True)
    assert sampled == names[:5]
    assert not lessons.leaves_complete("http://site.example/other/aaa-1", SETTINGS)


def test_single_pages_of_a_folder_share_its_sample_and_those_at_the_root_do_not() -> None:
    lessons = RenderLessons()
    for name in ("abc", "ast"):
        assert not lessons.leaves_complete(f"http://site.example/library/{name}.html", SETTINGS)
        lessons.learn(f"http://site.example/library/{name}.html", added=False, is_complete=True)
    assert lessons.leaves_complete("http://site.example/library/cmd.html", SETTINGS)
    for name in ("about", "contact", "imprint"):
        lessons.learn(f"http://site.example/{name}", added=False, is_complete=True)
    assert not lessons.leaves_complete("http://site.example/products", SETTINGS)
    assert lessons.leaves_complete("http://site.example/about", SETTINGS) is False, "it is rendered once or twice"
    assert lessons.sample_rooms("http://site.example/library/cmd.html", SETTINGS) == (
        ("sample http://site.example/library/*", 2),
        ("samples http://site.example/library/*", 10),
    )


def test_a_template_with_gain_is_left_after_complete_pages_in_a_row_without() -> None:
    lessons = RenderLessons()
    lessons.learn(f"{SHOP}/item-1", added=True, is_complete=True)
    for _ in range(SETTINGS.learn_after):
        assert not lessons.leaves_complete(f"{SHOP}/item-2", SETTINGS)
        lessons.learn(f"{SHOP}/item-2", added=False, is_complete=True)
    assert lessons.leaves_complete(f"{SHOP}/item-2", SETTINGS)


def test_failures_in_a_row_end_with_a_success() -> None:
    lessons = RenderLessons()
    assert not lessons.is_failing(f"{SHOP}/item-1", SETTINGS)
    for _ in range(SETTINGS.learn_after):
        assert not lessons.is_failing(f"{SHOP}/item-1", SETTINGS)
        lessons.fail(f"{SHOP}/item-1")
    assert lessons.is_failing(f"{SHOP}/item-2", SETTINGS)
    assert lessons.leaves_complete(f"{SHOP}/item-2", SETTINGS)
    assert asks(lessons, 5) == [False, False, False, True, False], "samples show whether it works again"
    lessons.learn(f"{SHOP}/item-3", added=True)
    assert not lessons.is_failing(f"{SHOP}/item-2", SETTINGS)
