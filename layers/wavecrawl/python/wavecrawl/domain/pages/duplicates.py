"""Duplicate pages: what counts as one, and which settings decide it."""

from enum import StrEnum
from typing import Annotated

import msgspec


class DuplicateKind(StrEnum):
    """How a page is like the page that is kept.

    - `exact`: the same text
    - `near`: nearly the same text, more similar than `duplicates.same`, with most words in common
      (`duplicates.shared_words`)
    - `review`: a similar text, more similar than `duplicates.review`; not a duplicate, but worth a look
    """

    EXACT = "exact"
    NEAR = "near"
    REVIEW = "review"


class DuplicateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When pages are duplicates. Similarity is the share of equal bits of their 64-bit fingerprints."""

    same: Annotated[
        float,
        "Pages above this similarity are duplicates if they share `shared_words`, too: one of them is kept, and "
        "`duplicate_of` of the others names it. 0.99: only pages with equal fingerprints.",
    ] = 0.92
    shared_words: Annotated[
        float,
        "Minimum share of the sequences of three words that duplicates have in common (Jaccard index). Reference pages "
        "of one form can have similar fingerprints and yet different words. 0: the words are not compared.",
    ] = 0.75
    review: Annotated[
        float,
        "Pages above this similarity that are not duplicates are flagged for review (`near_duplicate_of`). At 0.9 and "
        "above, all such pages are found. At 0.85, 79 % of the pages that differ in 9 bits are found.",
    ] = 0.85
    min_words: Annotated[
        int,
        "Minimum number of words of pages that are compared by similarity. Shorter texts can be similar by chance; "
        "they are duplicates only if they are the same.",
    ] = 50
