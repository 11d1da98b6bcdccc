from random import Random

import pytest

from wavecrawl.domain.pages.similar_texts import EXACT, SimilarTexts, mutually_nearest

LAST = 1 << 63


def texts(*prints: int, most_bits: int = EXACT) -> SimilarTexts:
    found = SimilarTexts(most_bits=most_bits)
    for print_ in prints:
        found.add(print_)
    return found


@pytest.mark.parametrize("bits", range(EXACT + 1))
def test_fingerprints_that_differ_in_few_bits_are_always_found(bits: int) -> None:
    random = Random(bits)
    for _ in range(300):
        print_ = random.getrandbits(64)
        changed = print_ ^ sum(1 << bit for bit in random.sample(range(64), bits))
        assert texts(print_).nearest(changed) == (0, bits)


def test_fingerprints_that_differ_in_too_many_bits_are_not_found() -> None:
    assert texts(0, most_bits=3).nearest(0b1111) is None
    assert texts(0, most_bits=4).nearest(0b1111) == (0, 4)


def test_nothing_is_similar_to_no_fingerprints() -> None:
    assert texts().nearest(0) is None


def test_the_most_similar_fingerprint_is_found() -> None:
    assert texts(0b1110, 0b0001, LAST).nearest(0b0011) == (1, 1)


def test_all_fingerprints_within_some_bits_are_found() -> None:
    assert sorted(texts(0b1110, 0b0001, LAST, most_bits=6).within(0b0011, 2)) == [(1, 1)]
    assert sorted(texts(0b1110, 0b0001, LAST, most_bits=6).within(0b0011, 3)) == [(1, 1), (3, 0), (3, 2)]


def test_of_equally_similar_fingerprints_the_first_is_found() -> None:
    assert texts(0b111, 0b010, LAST, 0b001).nearest(0) == (1, 1)


def test_fingerprints_of_two_lists_are_paired_with_their_nearest() -> None:
    ones, others = [0b0, 0b11 << 20, LAST], [0b111, 0b1, 0b111 << 20]
    assert mutually_nearest(ones, others, most_bits=3) == [(0, 1), (1, 2)]
    assert mutually_nearest([0, 0], [1], most_bits=3) == [(0, 0)]
