"""A rich console that prints texts of sites."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from wavecrawl.domain.pages.control_characters import shown_text


class SafeConsole(Console):
    """A console that replaces control characters in all texts that it renders. Rich only removes some of them."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=shown_text(segment.text))
