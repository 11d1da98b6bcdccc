"""The planner's knowledge of families is bounded, and the same after it was restored."""

from random import Random

import msgspec

from wavecrawl.domain.pages.word_sketch import sketch_of_words
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family


def keys(families: Families) -> list[str]:
    return [family.key for family in families.whole()]


def test_the_families_used_least_recently_are_dropped_at_the_end_of_a_wave() -> None:
    families = Families(limit=2)
    for key in "abcb":
        families.use(key)
    assert len(families) == 3
    assert [family.key for family in families.delta()] == ["c", "b"]
    assert keys(families) == ["c", "b"]
    assert families.delta() == []


def test_closed_families_are_kept() -> None:
    families = Families(limit=2)
    families.close(families.use("a"), "why")
    families.close(families.use("a"), "another reason")
    families.use("b")
    families.use("c")
    families.delta()
    assert keys(families) == ["a", "c"]
    assert families.closed == {"a": "why: "}


def test_deltas_restore_the_same_state() -> None:
    random = Random(4)
    live, restored = Families(limit=5), Families(limit=5)
    for _ in range(200):
        for _ in range(random.randrange(12)):
            family = live.use(f"family {random.randrange(15)}")
            family.add(PageEvidence(url="u", fingerprint=random.getrandbits(64)))
            if random.random() < 0.01:
                live.close(family, "closed")
        restored.apply(msgspec.msgpack.decode(msgspec.msgpack.encode(live.delta()), type=list[Family]))
        assert restored.whole() == live.whole()
        assert restored.closed == live.closed
        whole = Families(limit=5)
        whole.apply(live.whole())
        assert (whole.whole(), whole.closed) == (live.whole(), live.closed)


def test_a_full_set_of_words_starts_again_so_that_words_are_not_mistaken_for_known_ones() -> None:
    family = Family(key="series")
    for number in range(100):
        words = [f"{chr(97 + number % 26)}{chr(97 + number // 26)}{word:02d}".replace("0", "o") for word in range(64)]
        novelty = family.compare(PageEvidence(url="u", words=sketch_of_words(words)))
        assert novelty.words + novelty.numbers > 8


def test_a_family_keeps_its_last_fingerprints_and_urls() -> None:
    family = Family(key="x")
    for number in range(1, 8):
        family.add(PageEvidence(url="u", fingerprint=number << 40))
        family.count(f"u{number}", empty=True)
    assert family.prints == tuple(number << 40 for number in range(4, 8))
    assert family.siblings == ("u5", "u6", "u7")
    assert family.resembles(7 << 40)
    assert not family.resembles(0)
