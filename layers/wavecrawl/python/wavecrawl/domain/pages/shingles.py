"""Shingles: the sequences of three words of a text, by which two texts are compared word for word.

Broder 1997, "On the resemblance and containment of documents".
"""

from array import array

from xxhash import xxh32_intdigest

from wavecrawl.domain.pages.words import words_of

SIZE = 256
"""Maximum number of shingles of a text that are compared: those with the smallest hashes (bottom-k sampling).

Up to this number the share is exact; of longer texts its standard error is 0.03.
"""


def shingles_of(text: str) -> "array[int]":
    """Return the hashes of the shingles of a text, sorted, at most `SIZE`; none if the text has no words.

    A text of one or two words is one shingle. The text must not contain lone surrogates.
    """
    words = words_of(text).found
    shingles = set(map(" ".join, zip(words, words[1:], words[2:], strict=False))) or {" ".join(words)} - {""}
    return array("I", sorted(set(map(xxh32_intdigest, map(str.encode, shingles))))[:SIZE])


def shared_shingles(a: "array[int]", b: "array[int]") -> float:
    """Return the share of shingles that two texts have in common (Jaccard index): 1 = all. 0 if a text has none."""
    ones, others = {*a}, {*b}
    both = sorted(ones | others)[:SIZE]
    return len((ones & others).intersection(both)) / len(both) if both else 0.0
