"""How passages are found."""

from enum import StrEnum


class SearchMode(StrEnum):
    """How passages are found.

    - `hybrid`: by words and by meaning; the ranks are merged
    - `words`: by the words of the question, in any grammatical form of English
    - `vectors`: by meaning
    """

    HYBRID = "hybrid"
    WORDS = "words"
    VECTORS = "vectors"
