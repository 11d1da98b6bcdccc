"""The comparison of archives with their crawls: what it needs, and the report of its result."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.adapters.replay.engine import find_engine
from wavecrawl.adapters.wacz.reader import WaczReader
from wavecrawl.bootstrap.browsers import missing_browser
from wavecrawl.domain.replay.page_match import PageMatch, mean, spread
from wavecrawl.errors import BrowserMissingError, InvalidInputError, ReplayMissingError


class Verification(Struct, frozen=True, kw_only=True):
    """The result of `verify_archive`."""

    archive: Path
    goal: float  # share of equal pixels and of equal text that a good page has at least
    browser: str  # version
    archived: int  # pages in the archive
    pages: tuple[PageMatch, ...]  # that were compared

    @property
    def bad(self) -> list[PageMatch]:
        """The pages that could not be replayed, or are below the goal."""
        return [page for page in self.pages if not page.is_good(self.goal)]

    def report(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return {
            "archive": str(self.archive),
            "goal": self.goal,
            "browser": self.browser,
            "archived_pages": self.archived,
            "compared_pages": len(self.pages),
            "bad_pages": len(self.bad),
            "pixels": mean([page.pixels for page in self.pages]),
            "text": mean([page.text for page in self.pages]),
            "pages": [{**asdict(page), "good": page.is_good(self.goal)} for page in self.pages],
        }


def verify_archive(
    archive: Path,
    *,
    goal: float,
    most: int,
    images: Path | None = None,
    on_start: Callable[[int, int], None] = lambda _most, _all: None,
) -> Verification:
    """Replay pages of a WACZ package, and compare each with the crawl.

    Raise ReplayMissingError or BrowserMissingError if something is not installed, NotFoundError or InvalidInputError if
    the file is not a package, CorruptDataError if it is damaged.

    Args:
        archive: the package.
        goal: share of equal pixels and of equal text that a good page has at least.
        most: pages that are compared, spread over all; 0 = all.
        images: folder for the screenshots of the crawl and of the replay, and where they differ, as PNG.
        on_start: called with the number of pages that are compared and of all.
    """
    engine = find_engine()
    if problem := missing_browser():
        raise BrowserMissingError(f"archives are replayed in a browser: {problem}")
    if find_spec("PIL") is None:
        raise ReplayMissingError(
            "Pillow, which compares screenshots, is not installed: pip install '.[media]' in wavecrawl's checkout"
        )
    from wavecrawl.adapters.replay.verification import verify  # noqa: PLC0415 - it needs Playwright and Pillow

    with WaczReader(archive) as reader:
        pages = reader.pages()
        if not pages:
            raise InvalidInputError(f"{archive} has no pages")
        chosen = spread(pages, most)
        on_start(len(chosen), len(pages))
        found = verify(reader, chosen, engine, user_agent=user_agent(""), images=images)
    return Verification(archive=archive, goal=goal, browser=found.browser, archived=len(pages), pages=found.pages)
