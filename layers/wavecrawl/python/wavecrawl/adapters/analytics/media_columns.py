"""Columns of media that follow from their URL: the name of the file, and what shows an embedded video elsewhere."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LAST_SEGMENT = "regexp_extract(url, '^[^?#]*/([^/?#]*)', 1)"
_DECODED = f"coalesce(try(url_decode({_LAST_SEGMENT})), {_LAST_SEGMENT})"  # NULL: it is not encoded UTF-8
_NO_NAME = r"^.*[/\\]|[\x00-\x1f\x7f]"  # folders that were encoded, and control characters

# The name "videoseries" is that of a list. YouTube has this picture of each video; Vimeo's is known by a request only:
# https://developers.google.com/youtube/v3/docs/thumbnails, https://developer.vimeo.com/api/oembed/videos
_YOUTUBE = r"^https?://(?:www\.)?(?:youtube(?:-nocookie)?\.com/embed|youtu\.be)/([A-Za-z0-9_-]{11})(?:[/?#]|$)"
_VIMEO = r"^https?://player\.vimeo\.com/"
_VIDEO = f"regexp_extract(url, '{_YOUTUBE}', 1)"

DERIVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "file_name": f"if(kind = 'embed', '', regexp_replace({_DECODED}, '{_NO_NAME}', '', 'g'))",
        "provider": f"if(kind <> 'embed', '', if(regexp_matches(url, '{_VIMEO}'), 'vimeo', 'youtube'))",
        "thumbnail": f"""
            if(kind <> 'embed' OR {_VIDEO} IN ('', 'videoseries'), '',
               'https://i.ytimg.com/vi/' || {_VIDEO} || '/hqdefault.jpg')
        """,
        "embed_code": """
            if(kind <> 'embed', '',
               '<iframe src="' || replace(replace(url, '&', '&amp;'), '"', '&quot;') || '" allowfullscreen></iframe>')
        """,
    }
)
"""Column -> its value in a row with `url` and `kind`, as SQL."""
