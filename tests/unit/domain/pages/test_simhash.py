import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from wavecrawl.domain.pages.simhash import bits_above, hashes_of_words, simhash, simhash_of_words, similarity

PLAIN = (
    "The crawler reads every page of a site once and keeps what it says. It asks for robots.txt first and waits "
    "between requests so that nobody notices. Links come from the whole page before the noise is cut away from it."
)


def by_hand(words: list[str]) -> int:
    """Charikar 2002, bit by bit. XXH3 digests are big-endian; fingerprints read them from the first byte."""
    fingerprint = 0
    new = list(dict.fromkeys(words))
    hashes = {word: int.from_bytes(xxh3_64_intdigest(word.encode()).to_bytes(8, "big"), "little") for word in new}
    features = [(hashes[word], len(f"{words.count(word):b}")) for word in new]
    for position, word in enumerate(new[:-1]):  # a pair: the second hash moves by a byte, which the next word fills
        third = hashes[new[position + 2]] if position + 2 < len(new) else 0
        features.append((hashes[word] ^ (hashes[new[position + 1]] >> 8 | (third & 0xFF) << 56), 1))
    for bit in range(64):
        balance = sum(points if digest >> bit & 1 else -points for digest, points in features)
        fingerprint |= (balance > 0) << bit
    return fingerprint


@given(st.lists(st.sampled_from("the of a page crawl site link".split()), max_size=30))
def test_the_fingerprint_is_the_majority_of_the_hashes_of_words_and_pairs(words: list[str]) -> None:
    assert simhash_of_words(words) == by_hand(words)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_text_without_words_has_no_fingerprint(text: str) -> None:
    assert simhash(text) == 0


def test_white_space_does_not_matter() -> None:
    assert simhash("one two\n\nthree ") == simhash("one\u00a0two three")


def test_the_order_of_words_matters() -> None:
    assert simhash("one two three") != simhash("three two one")


def test_half_a_surrogate_pair_counts_as_a_question_mark() -> None:
    assert simhash("a\ud800 b") == simhash("a? b")


def test_an_edited_text_stays_similar() -> None:
    edited = PLAIN.replace("nobody", "no server")
    assert similarity(simhash(PLAIN), simhash(edited)) > 0.85


def test_another_text_is_not_similar() -> None:
    other = "Bread needs flour, water, salt and yeast; knead for ten minutes, rest overnight, then bake until brown."
    assert similarity(simhash(PLAIN), simhash(other)) < 0.85


@pytest.mark.parametrize(("least", "bits"), [(0.99, 0), (0.92, 5), (0.90625, 5), (0.9, 6), (0.85, 9), (0.8, 12)])
def test_a_similarity_is_a_number_of_bits(least: float, bits: int) -> None:
    assert bits_above(least) == bits


@pytest.mark.parametrize(
    ("one", "other", "alike"), [(0, 0, 1.0), (0, 2**64 - 1, 0.0), (0b1111, 0, 0.9375), (0b1010, 0b0110, 0.96875)]
)
def test_similarity_counts_the_bits_that_agree(one: int, other: int, alike: float) -> None:
    assert similarity(one, other) == alike


def test_the_hash_of_a_set_of_words_depends_neither_on_their_order_nor_on_their_number() -> None:
    pair = hashes_of_words(["one", "two"])[1]
    assert pair not in (0, hashes_of_words(["one"])[1])
    assert hashes_of_words(["two", "one", "two"])[1] == pair
    assert hashes_of_words([]) == (0, 0)
