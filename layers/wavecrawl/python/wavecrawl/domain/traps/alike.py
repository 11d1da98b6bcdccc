"""Pages of one folder that have nothing of their own but links to further such pages, whatever the texts of these are.

Such are pages of items that are gone, with other items to look at, and of searches and tags without results.
"""

from collections.abc import Sequence
from functools import lru_cache

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.pages.word_sketch import POSITIONS, SIZE
from wavecrawl.domain.traps.evidence import TARGETS, PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.settings import TemplateTrapSettings
from wavecrawl.domain.urls.templates import parameter_names, template_of_path

_CACHE_SIZE = 16_384
_SECOND = 2  # pages of a folder: then they can be compared
_SAME = 2  # own words in which two pages may differ: one that names what was looked for
_LEAST = 4  # words of its own without which a page is no evidence: a list of lists can have none
_LEVELS = 2  # of lists of a folder that lead to lists and have the same words, which ordinary sites may have
_SAMPLED = 6  # more if their words are a sample, as texts of links can displace words from it


class AlikeRule:
    """Suppresses URLs of a folder that its pages lead to, after a row of pages with nothing of their own.

    The texts of links within the folder apart, they have the words of the page before, but for one; at most one word,
    and no link that leads elsewhere, is new in the folder. A page counts only if the pages that led to it are such
    pages too, for some levels: lists of lists end somewhere, in pages with words of their own. Other pages only show
    how the folder's pages are. Those with nearly no words but links, or that declare versions of themselves, are no
    evidence.
    """

    reason = Reason.TRAP_TEMPLATE

    def __init__(self, settings: TemplateTrapSettings, families: Families) -> None:
        self._families = families
        self._most = max(2, settings.max_alike // 4)

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a page."""
        if page.is_json or page.versions or page.own_words.bit_count() < _LEAST:
            return
        folder = folder_of(page.url)
        family = families.use(_key(folder))
        words, targets = int.from_bytes(family.words, "little"), int.from_bytes(family.targets, "little")
        before = int.from_bytes(family.last, "little")
        most = _SAME + _SAMPLED * (len(page.words) >= 2 * SIZE)  # two bytes each
        linked = page.linked_words | int.from_bytes(family.linked, "little")
        differing = (page.own_words ^ before) & ~linked
        is_same = page.pictures == family.pictures and differing.bit_count() <= most
        family.pages += 1
        family.pictures = page.pictures
        family.last = page.own_words.to_bytes(POSITIONS // 8, "little")
        family.linked = page.linked_words.to_bytes(POSITIONS // 8, "little")
        family.words = (words | page.own_words).to_bytes(POSITIONS // 8, "little")
        family.targets = (targets | page.elsewhere).to_bytes(TARGETS // 8, "little")
        new_words = (page.own_words & ~words).bit_count()
        if not before or new_words > 1 or page.elsewhere & ~targets or not is_same:
            family.count(page.url, empty=False)
            return
        if family.pages == _SECOND:
            families.use(family.siblings[-1]).level = 1  # the first one is such a page, too
        above = families.get(ancestors[0]) if ancestors and folder_of(ancestors[0]) == folder else None
        level = 1 if above is None else above.level + 1
        families.use(page.url).level = level
        if level <= _LEVELS:
            family.fruitless += 1
        else:
            why = "pages in a row have nothing of their own but links to each other"
            families.count(family, page.url, empty=True, most=self._most, why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL belongs to. Against a URL that is found elsewhere, there is no evidence."""
        folder = folder_of(url)
        if folder != folder_of(parent):
            return ()
        key = _key(folder)
        above = self._families.get(parent)
        return () if key in self._families.closed and not (above and above.level) else (key,)

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        return self._most - family.empty


@lru_cache(maxsize=_CACHE_SIZE)
def folder_of(url: str) -> str:
    """Return the folder of a URL: its path without the last segment as a template, and the names of its parameters."""
    address, mark, query = url.partition("?")
    if mark:
        return f"{template_of_path(address)}?{'&'.join(parameter_names(query))}"
    root = address.find("/", address.find("//") + 2)
    return f"{template_of_path(address[: address.rfind('/', 0, -1) + 1] if len(address) > root + 1 else address)}*"


def _key(folder: str) -> str:
    return f"alike {folder}"
