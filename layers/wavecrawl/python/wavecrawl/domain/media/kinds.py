"""Kinds of media and of resources, and their key."""

from enum import StrEnum
from hashlib import blake2b


class MediaKind(StrEnum):
    """What an asset is.

    - `image`: a picture
    - `video`: a video file of the site or of a host that it uses
    - `document`: a PDF, office or e-book file that a page links to
    - `embed`: a player of YouTube or Vimeo. It is listed with its page and never requested
    - `resource`: what a browser needs to show a page, such as a stylesheet, a script or a font. Only full archives have
      it (`archive.content`): its response is stored, and no asset is made of it
    """

    IMAGE = "image"
    VIDEO = "video"
    DOCUMENT = "document"
    EMBED = "embed"
    RESOURCE = "resource"


class MediaSource(StrEnum):
    """Which part of a page names an asset."""

    IMG = "img"  # src or srcset
    PICTURE = "picture"  # a source of a picture
    BACKGROUND = "background"  # url() of a style attribute or style element
    VIDEO = "video"  # src of a video, or a source of one
    POSTER = "poster"
    FRAME = "frame"  # a player in a frame
    LINK = "link"  # a link to a document
    SCRIPT = "script"
    STYLESHEET = "stylesheet"
    ICON = "icon"  # also a manifest, and what a page preloads
    CSS = "css"  # url() or @import of a stylesheet
    BROWSER = "browser"  # requested while the page was rendered


def media_key(url_key: str) -> str:
    """Return the key of the asset or resource at a URL. It differs from that of the page, as a URL can be both."""
    return blake2b(b"media " + url_key.encode(), digest_size=16).hexdigest()
