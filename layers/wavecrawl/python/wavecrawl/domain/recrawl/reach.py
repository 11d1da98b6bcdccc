"""What a crawl can find: it shows the absence of a page only if it could have found the page where it was before."""

from hashlib import blake2b
from typing import Final

import msgspec

from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.rendering.settings import RenderMode

_WHOLE: Final = (Discovery.LINKS_FIRST, Discovery.SITEMAP_FIRST)
_RENDERS: Final = (RenderMode.NEVER, RenderMode.AUTO, RenderMode.ALWAYS)  # each finds what those before it find
_HASH_BYTES: Final = 8


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """The ways of discovery of a crawl, without limits: a crawl that stops at one knows that it has gaps."""

    uses_list: bool  # whether it finds URLs in a list
    is_whole: bool  # whether it follows links and reads sitemaps, and requests all that it finds
    rendering: int  # 0..2: pages that it renders: none, those that seem to need it, all
    rules: str  # hash of the start page and of the settings that leave URLs out

    @classmethod
    def of(cls, settings: CrawlSettings, *, root_key: str, authenticated: bool, media: bool = False) -> "Reach":
        """Return the reach of a crawl. `authenticated`: whether credentials of the site are sent. `media`: of media."""
        rules = (
            root_key,
            authenticated,
            settings.scope,
            settings.follow_nofollow,
            settings.tracking_parameters,
            settings.session_parameters,
            settings.ignored_parameters,
            settings.polite.obey_robots,
            settings.robots_product,
            settings.also_obey,
            settings.traps,
            sorted(settings.media.include) if media else "",
            *((settings.archive.content,) if media and settings.archive.is_full else ()),
        )
        return cls(
            uses_list=settings.discovery is Discovery.LIST,
            is_whole=settings.discovery in _WHOLE and settings.mode is Mode.FULL,
            rendering=_RENDERS.index(settings.render.mode),
            rules=blake2b(msgspec.json.encode(rules), digest_size=_HASH_BYTES).hexdigest(),
        )

    def __str__(self) -> str:
        """Return the stored form."""
        return f"{'list' if self.uses_list else 'site'} {self.rendering} {self.rules}"

    def covers(self, earlier: str) -> bool:
        """Return whether the crawl could find what a crawl with this stored reach found; False for an empty one."""
        way, _, rest = earlier.partition(" ")
        rendering, _, rules = rest.partition(" ")
        return self.is_whole and way == "site" and self.rules == rules and self.rendering >= int(rendering)
