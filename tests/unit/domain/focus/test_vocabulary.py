import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.focus import vocabulary
from wavecrawl.domain.focus.vocabulary import MOST_TERMS, Vocabulary, VocabularyDelta
from wavecrawl.domain.focus.words import link_words, path_words, words_of

WORDS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=4)
WAVES = st.lists(st.lists(WORDS, max_size=6), max_size=6)


def of(*targets: str) -> Vocabulary:
    made = Vocabulary()
    for target in targets:
        made.add(words_of(target))
    return made


def test_words_of_texts_and_urls() -> None:
    assert words_of("Event loop, the EVENT Loop 3.11 (Straße)") == ("event", "loop", "the", "#", "strasse")
    assert words_of("x" * 200) == ("x" * 32,)
    assert len(words_of(" ".join(f"{chr(97 + a)}{chr(97 + b)}" for a in range(9) for b in range(9)))) == 16
    assert path_words("/library/asyncio-task.html") == ("library", "asyncio", "task")
    assert words_of("") == ()


def test_the_words_of_a_link_are_those_of_its_text_and_of_the_last_segment_of_the_path() -> None:
    assert link_words("https://site.example/library/asyncio-task.html", "") == ("asyncio", "task")
    assert link_words("https://site.example/library/asyncio_task/?page=2", "") == ("asyncio", "task")
    assert link_words("https://site.example/library/task.html", "A task") == ("a", "task")
    assert link_words("https://site.example/", "") == ()


def test_a_rare_word_says_more_than_a_frequent_one() -> None:
    vocabulary = of("next page", "next page", "next page", "next tides", "next currents")
    tides, page, following = (vocabulary.signal((word,)) for word in ("tides", "page", "next"))
    assert (tides, following) == (200, 21)
    assert following < page < tides
    assert vocabulary.signal(("tides", "next")) == 111
    assert vocabulary.signal(()) == 0
    assert vocabulary.signal(("unknown",)) == 200


def test_an_empty_vocabulary_gives_no_signal() -> None:
    assert Vocabulary().signal(("word",)) == 0


@given(waves=WAVES)
def test_deltas_restore_a_vocabulary(waves: list[list[list[str]]]) -> None:
    vocabulary, restored = Vocabulary(), Vocabulary()
    for wave in waves:
        for words in wave:
            vocabulary.add(words)
        restored.apply(vocabulary.delta())
    again = Vocabulary()
    again.apply(vocabulary.whole)
    for one in (restored, again):
        assert one.whole == vocabulary.whole
        assert list(one.whole.terms) == list(vocabulary.whole.terms)
    assert vocabulary.whole.targets == sum(map(len, waves))
    assert vocabulary.delta() == VocabularyDelta()


def test_the_rarest_and_latest_words_are_forgotten() -> None:
    vocabulary = Vocabulary()
    for number in range(MOST_TERMS + 1):
        vocabulary.add((f"w{number}", "often"))
    kept = list(vocabulary.delta().terms)
    assert len(kept) == MOST_TERMS + 2
    terms = vocabulary.whole.terms
    assert len(terms) == 15_000
    assert list(terms)[:3] == ["w0", "often", "w1"]
    assert terms["often"] == MOST_TERMS + 1
    assert vocabulary.whole.targets == MOST_TERMS + 1


def test_a_wave_adds_a_limited_number_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a site whose links have new words all the time could fill the planner's memory in one wave."""
    monkeypatch.setattr(vocabulary, "MOST_NEW", 3)
    found = of("next one", "next two", "next three", "next four")
    assert found.delta() == VocabularyDelta(targets=4, terms={"next": 4, "one": 1, "two": 1})
