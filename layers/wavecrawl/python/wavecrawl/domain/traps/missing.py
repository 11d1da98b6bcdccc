"""Folders without pages: all of their URLs that were requested do not exist, as in a sitemap that is out of date."""

from wavecrawl.domain.traps.alike import folder_of
from wavecrawl.domain.traps.families import Families

_LEAST = 5
"""Missing pages that show that a folder has none."""

_ALL = "missing"  # the family of all URLs that do not exist


class MissingPages:
    """Counts the URLs that do not exist. Redirects and temporary errors say nothing."""

    def __init__(self, families: Families) -> None:
        self._families = families

    def count(self, url: str, *, is_missing: bool) -> None:
        """Count a URL that is a page, or that does not exist."""
        family = self._families.use(_key(url))
        if is_missing:
            family.fruitless += 1
            self._families.use(_ALL).fruitless += 1
        else:
            family.pages += 1

    @property
    def total(self) -> int:
        """The number of URLs that do not exist."""
        family = self._families.get(_ALL)
        return 0 if family is None else family.fruitless

    def evidence_against(self, url: str) -> str:
        """Return why the folder of a URL seems to have no page; "" if it has one, or too few URLs were requested."""
        family = self._families.get(_key(url))
        if family is None or family.pages or family.fruitless < _LEAST:
            return ""
        return f"none of {family.fruitless} requested URLs of {folder_of(url)} exists"


def _key(url: str) -> str:
    return f"missing {folder_of(url)}"
