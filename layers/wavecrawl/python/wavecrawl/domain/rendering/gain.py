"""Whether rendering added text to a page."""

from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.pages.word_sketch import NUMBERS, mask_of

_FEW_WORDS = 2  # new words that count as nothing: a greeting, the name of a month
_LONGER = 1.1  # times as many words count as more text
_MANY_WORDS = 20  # new words that count as more text of a page that was complete


def adds_text(after: PageFacts, before: PageFacts | None, *, to_complete: bool = False) -> bool:
    """Return whether a rendered page has more text than the response that it was made from.

    Other numbers, such as times and counters, are no text, nor are two other words. `to_complete`: the response was a
    complete page. Scripts add labels of buttons to such pages, which are no text either.
    """
    if before is None or after.text_hash == before.text_hash:
        return before is None and after.word_count > 0
    new = mask_of(after.word_sketch) & ~mask_of(before.word_sketch) & ~NUMBERS
    is_longer = after.word_count > _LONGER * before.word_count + _FEW_WORDS
    if to_complete:
        return new.bit_count() > _MANY_WORDS or (is_longer and new.bit_count() > _FEW_WORDS)
    return is_longer or new.bit_count() > _FEW_WORDS
