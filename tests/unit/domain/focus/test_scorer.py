from datetime import date

import pytest

from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.risks import Risks
from wavecrawl.domain.focus.score import ScoreColumns, columns_of, rank_of
from wavecrawl.domain.focus.scorer import Scorer
from wavecrawl.domain.focus.settings import FocusSettings, WeightSettings
from wavecrawl.domain.focus.topic import Topic
from wavecrawl.domain.focus.vocabulary import Vocabulary
from wavecrawl.domain.focus.words import words_of

SITE = "https://example.com"
TODAY = 740_000


def scorer(*terms: str, **settings: float) -> Scorer:
    focus = FocusSettings(terms=terms, weights=WeightSettings(**settings))
    return Scorer(focus, Vocabulary(), today=TODAY)


def test_the_score_is_the_weighted_sum_of_its_parts() -> None:
    risky = Scorer(FocusSettings(), Vocabulary(), today=TODAY, risks_of=lambda _: Risks(duplication=0.5, trap=2.0))
    risky.learn(f"{SITE}/tides", "Tides")
    assert columns_of(risky.score(f"{SITE}/tides", "Tides")) == ScoreColumns(
        lane=Lane.P3,
        score=0.445,  # 0.4 * 0.8 + 0.4 * 1.0 + 0.2 * 0.5 - 0.25 * 0.5 - 0.25 * 1.0
        path_weight=0.8,
        anchor_signal=1.0,
        freshness=0.5,
        duplication_risk=0.5,
        trap_risk=1.0,
    )


@pytest.mark.parametrize(("weight", "expected"), [(1.0, 1.0), (0.0, 0.0)])
def test_a_score_is_between_0_and_1(weight: float, expected: float) -> None:
    one = Scorer(
        FocusSettings(weights=WeightSettings(path=weight, anchor=weight, freshness=weight)),
        Vocabulary(),
        today=TODAY,
        risks_of=lambda _: Risks(trap=0.5),
    )
    one.learn(f"{SITE}/tides", "Tides")
    assert columns_of(one.score(f"{SITE}/tides", "Tides")).score == expected


def test_the_root_is_critical_wherever_it_is() -> None:
    one = scorer()
    assert columns_of(one.score(f"{SITE}/a/b/", is_root=True)).lane is Lane.P0
    assert columns_of(one.score(f"{SITE}/a/b/")).lane is Lane.P3


@pytest.mark.parametrize(("risk", "lane"), [(0.0, Lane.P1), (0.49, Lane.P1), (0.5, Lane.P3), (1.0, Lane.P3)])
def test_a_likely_trap_is_in_the_last_lane(risk: float, lane: Lane) -> None:
    risky = Scorer(FocusSettings(), Vocabulary(), today=TODAY, risks_of=lambda _: Risks(trap=risk))
    assert columns_of(risky.score(f"{SITE}/docs/a?visit=1")).lane is lane
    assert columns_of(risky.score(f"{SITE}/", is_root=True)).lane is Lane.P0


def test_the_date_of_the_sitemap_counts() -> None:
    assert columns_of(scorer().score(f"{SITE}/a", lastmod=date.fromordinal(TODAY).isoformat())).freshness == 1.0


def test_a_link_that_only_says_next_has_a_low_signal() -> None:
    one = scorer()
    for number in range(2, 30):
        one.learn(f"{SITE}/list/page-{number}", "Next")
    one.learn(f"{SITE}/list/tides", "Tides of the north sea")
    following = columns_of(one.score(f"{SITE}/list/page-9", "Next")).anchor_signal
    tides = columns_of(one.score(f"{SITE}/list/tides", "Tides of the north sea")).anchor_signal
    assert following is not None
    assert tides is not None
    assert following < 0.03
    assert tides == 1.0


def test_a_topic_outweighs_the_words_of_the_site() -> None:
    one = scorer("asyncio, event loop")
    pages = {"asyncio-task.html": "Coroutines and tasks", "zlib.html": "Compression with rare words", "email.html": ""}
    for page, text in pages.items():
        one.learn(f"{SITE}/library/{page}", text)
    signals = {
        page: columns_of(one.score(f"{SITE}/library/{page}", text)).anchor_signal for page, text in pages.items()
    }
    assert signals == {"asyncio-task.html": 0.915, "zlib.html": 0.15, "email.html": 0.15}
    linked = columns_of(one.score(f"{SITE}/library/zlib.html", "Compression", title="asyncio")).anchor_signal
    assert linked == 0.49


@pytest.mark.parametrize(
    ("path", "text", "title", "first"),
    [
        ("/misc/event-loop-details", "More", "", True),
        ("/misc/17", "Details of event loops", "", True),
        ("/event/17", "Loop", "", True),  # link text and path together have all words of the term
        ("/misc/coroutine", "", "", True),
        ("/misc/event", "Event", "", False),  # one of two words, even if it is there twice
        ("/imprint", "Imprint", "The event loop", False),  # only the linking page is about the topic
        ("/misc/event-loop.json", "Event loop", "", False),
    ],
)
def test_urls_that_match_the_topic_come_before_all_lanes(path: str, text: str, title: str, *, first: bool) -> None:
    one = scorer("event loop, coroutines")
    main = one.score(f"{SITE}/pricing", "Pricing")
    assert columns_of(main).lane is Lane.P0
    found = one.score(f"{SITE}{path}", text, title=title)
    assert columns_of(found).lane is Lane.P3
    assert (rank_of(found) < rank_of(main)) == first


def test_a_likely_trap_that_matches_the_topic_stays_last() -> None:
    focus = FocusSettings(terms=("event loop",))
    risky = Scorer(focus, Vocabulary(), today=TODAY, risks_of=lambda url: Risks(trap=0.5 * ("visit" in url)))
    trap, other = risky.score(f"{SITE}/event-loop?visit=1"), risky.score(f"{SITE}/blog/a")
    assert rank_of(trap) > rank_of(other) > rank_of(risky.score(f"{SITE}/event-loop"))


def similarity(terms: tuple[str, ...], text: str) -> int:
    return Topic(terms).similarity(words_of(text), (), ())


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (("coroutine",), "coroutine", 180),
        (("coroutine",), "coroutines", 144),  # another form
        (("coroutine",), "coral", 0),
        (("loop",), "loops", 144),
        (("loop",), "uvloop", 108),  # a compound
        (("io",), "ratio", 0),  # too short for a compound
        (("列表",), "新闻列表页", 180),
        (("event loop",), "event", 90),
        (("event loop",), "event loop", 180),
        (("event", "loop"), "event loop", 198),
        (("what is an event loop",), "event", 180),  # a query: each word counts
        (("event; loop",), "loop", 180),
        (("3.11",), "3.11", 0),
        ((), "anything", 0),
    ],
)
def test_similarity_of_words_to_terms(terms: tuple[str, ...], text: str, expected: int) -> None:
    assert similarity(terms, text) == expected


def test_only_a_topic_with_words_counts() -> None:
    assert not Topic(())
    assert not Topic((" , ", "3.11"))
    assert Topic(("a",))


def test_path_weights_of_prefixes_replace_those_of_lanes() -> None:
    own = Scorer(FocusSettings(path_weights=("/docs = 0.5", "/misc = 1")), Vocabulary(), today=TODAY)

    def weight(path: str) -> float | None:
        return columns_of(own.score(f"{SITE}{path}")).path_weight

    assert [weight(path) for path in ("/docs", "/docs/a/b", "/de/misc", "/misc/a?b=1")] == [0.5, 0.3, 1.0, 0.7]
    assert (weight("/guide/"), weight("/other")) == (1.0, 0.8)  # as without the setting: lane p1 and an index, lane p3
    assert columns_of(own.score(f"{SITE}/docs")).lane is Lane.P1
