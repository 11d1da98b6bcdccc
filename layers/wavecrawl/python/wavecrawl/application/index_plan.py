"""What a run does with each page of a crawl."""

from collections.abc import Iterable, Iterator

import msgspec

from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SourceText
from wavecrawl.domain.urls.earlier_keys import earlier_key
from wavecrawl.domain.urls.spellings import other_spelling

BATCH_CHARACTERS = 1_000_000
"""Characters of a batch's texts, about: a page is not divided."""

BATCH_PAGES = 500
"""Pages read until the next batch, whether or not their texts are new."""


class CrawledText(msgspec.Struct, frozen=True, kw_only=True):
    """A page or document as a crawl found it, and what becomes of its passages."""

    text: SourceText
    fate: Fate


class IndexPlan:
    """Divides the pages of a crawl: into batches of changed ones, unchanged ones, and those that are gone."""

    def __init__(self, known: dict[str, str], deleted: Iterable[str] = ()) -> None:
        """`known`: content hashes of the indexed pages. `deleted`: keys of pages that are gone."""
        self._known = known
        self._met = {*deleted}
        self._gone = sorted(self._met & known.keys())
        self._others: dict[str, SourceText] = {}
        self.unchanged: list[str] = []
        self.pages = 0  # read so far

    def batches(
        self, pages: Iterable[CrawledText], *, characters: int = BATCH_CHARACTERS
    ) -> Iterator[list[SourceText]]:
        """Yield the texts that are new or have changed. A batch may be empty, so that many pages are not one step."""
        batch: list[SourceText] = []
        size = 0
        for page in pages:
            self.pages += 1
            if self._is_new(page):
                batch.append(page.text)
                size += len(page.text.text)
            if size >= characters or self.pages % BATCH_PAGES == 0:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _is_new(self, page: CrawledText) -> bool:
        """Return whether the text of a page has to be indexed; otherwise, note what becomes of its passages."""
        key = page.text.key
        if key in self._met:
            return False
        self._met.add(key)
        if page.fate is Fate.GONE:
            self._gone.extend([key] if key in self._known else [])
            return False
        if page.fate is Fate.KEPT:
            return False
        for other in (other_spelling(key), earlier_key(key, page.text.url)):
            if other in self._known:
                self._others[other] = page.text
        known = self._known.get(key)
        if known and (known == page.text.content_hash or page.fate is Fate.PART):
            self.unchanged.append(key)
            return False
        return True

    def gone(self) -> list[str]:
        """Return the indexed pages that are gone, after the last batch."""
        return self._gone

    def others(self) -> Iterator[tuple[str, SourceText]]:
        """Yield the indexed pages that the crawl has under another key only, each with the text that it has.

        That is the key of the other spelling, or of an earlier version.
        """
        yield from ((key, text) for key, text in self._others.items() if key not in self._met)
