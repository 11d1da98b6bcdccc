"""Shingles, compared with sets of all sequences of three words."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.pages.shingles import SIZE, shared_shingles, shingles_of


def shared(a: str, b: str) -> float:
    return shared_shingles(shingles_of(a), shingles_of(b))


def by_hand(a: list[str], b: list[str]) -> float:
    """The Jaccard index of the sequences of three words."""
    ones, others = ({tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2))} for words in (a, b))
    return len(ones & others) / len(ones | others)


_WORDS = st.lists(st.sampled_from("the of a page crawl".split()), min_size=1, max_size=40)


@given(_WORDS, _WORDS)
def test_the_share_is_that_of_sequences_of_three_words(a: list[str], b: list[str]) -> None:
    assert shared(" ".join(a), " ".join(b)) == by_hand(a, b)


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ("one two three four", "one two three five", 1 / 3),
        ("one two\n\nthree", "one two three", 1.0),
        ("three two one", "one two three", 0.0),
        ("one", "one", 1.0),
        ("", "", 0.0),  # nothing is in common
        ("", "one", 0.0),
        ("パッケージ管理", "パッケージ管理", 1.0),
        ("一二三四五六", "一二三四五七", 2 / 4),  # sequences of the pairs 一二 二三 三四 四五 五六
    ],
)
def test_the_share_of_two_texts(a: str, b: str, share: float) -> None:
    assert shared(a, b) == pytest.approx(share)


def test_long_texts_are_compared_by_a_sample() -> None:
    random = Random(3)
    words = [f"word{random.randrange(5_000)}" for _ in range(20_000)]
    edited = [word if place % 20 else "edited" for place, word in enumerate(words)]
    assert len(shingles_of(" ".join(words))) == SIZE
    assert shared(" ".join(words), " ".join(edited)) == pytest.approx(by_hand(words, edited), abs=0.1)
