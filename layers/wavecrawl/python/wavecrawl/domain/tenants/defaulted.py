"""The settings of crawls for which a tenant can have a default, by path."""

from typing import Final

from wavecrawl.domain.crawl.setting_paths import paths_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS

MAX_PAGES: Final = "max_pages"
MEDIA: Final = "media"
MEDIA_INCLUDE: Final = "media.include"
OBEY_ROBOTS: Final = "polite.obey_robots"
USER_AGENT_SUFFIX: Final = "user_agent_suffix"
MAX_VIDEO: Final = "media.max_video_mb"

URLS: Final = ("urls", "url_list")
"""Settings that name the URLs of a crawl."""

BROWSER: Final = ("render.mode", "render.screenshots")
"""Settings that may need a browser."""

DEFAULTED: Final = frozenset(
    path
    for path in paths_of(CrawlSettings())
    if path not in URLS and not REQUEST_BOUNDS.reserved & {path, path.partition(".")[0]}
)
"""All that a request may set, except the URLs of one crawl."""
