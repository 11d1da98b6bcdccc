"""The settings of crawls for which a tenant can have a default, by path."""

from typing import Final

MAX_PAGES: Final = "max_pages"
MEDIA: Final = "media"
MEDIA_INCLUDE: Final = "media.include"
MAX_VIDEO: Final = "media.max_video_mb"
DEFAULTED: Final = (MAX_PAGES, MEDIA_INCLUDE, MAX_VIDEO)
