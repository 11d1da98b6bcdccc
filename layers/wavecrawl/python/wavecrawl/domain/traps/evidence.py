"""The evidence of a fetched page for the rules against traps: its address, fingerprint, words and link targets."""

from msgspec import Struct

TARGETS = 4_096
"""Link targets are numbers below this one: the end of a hash of their url keys."""


class PageEvidence(Struct, frozen=True, kw_only=True, gc=False):
    """One fetched page."""

    url: str
    fingerprint: int = 0  # SimHash of the text XOR `pictures`, or hash of the shape of a JSON document; 0 = none
    pictures: int = 0  # hash of the set of its images; 0 = none
    word_set: int = 0  # hash of the set of words of the text XOR `pictures`; 0 = none
    words: bytes = b""  # sketch of the text, see `domain.pages.word_sketch`
    targets: int = 0  # one bit for each link target that is neither on the page's own path nor in a calendar
    leads_on: bool = False  # whether it has links to other pages of its folder, see `domain.traps.alike`
    own_words: int = 0  # its words as a mask, without those in the texts of these links; if it leads on
    linked_words: int = 0  # the words in these texts
    elsewhere: int = 0  # one bit for each link target out of its folder; if it leads on
    versions: tuple[str, ...] = ()  # URLs of other versions of the page that it declares, by language or region
    is_json: bool = False
    is_special: bool = True  # False: no rule looks at its URL, see `domain.traps.forms`
