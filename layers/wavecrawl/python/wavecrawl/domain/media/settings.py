"""Settings of media: which kinds of assets a crawl stores, and their limits."""

from enum import StrEnum
from typing import Annotated

import msgspec

from wavecrawl.domain.media.kinds import MediaKind

_MB = 1_000_000  # bytes


class MediaGroup(StrEnum):
    """What a crawl stores of the media that its pages use.

    - `images`: images, including backgrounds and posters of videos
    - `videos`: video files; players of YouTube and Vimeo are listed
    - `documents`: PDF, office and e-book files that pages link to
    """

    IMAGES = "images"
    VIDEOS = "videos"
    DOCUMENTS = "documents"


_KIND_OF = {
    MediaGroup.IMAGES: MediaKind.IMAGE,
    MediaGroup.VIDEOS: MediaKind.VIDEO,
    MediaGroup.DOCUMENTS: MediaKind.DOCUMENT,
}


class MediaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Media: images, videos and documents that pages use, stored after the last page."""

    include: Annotated[
        tuple[MediaGroup, ...],
        "Media to store: `images`, `videos`, `documents`. Empty: none, and pages are not searched for media.",
    ] = ()
    max_assets: Annotated[int, "Maximum number of media URLs that are requested."] = 10_000
    timeout: Annotated[float, "Maximum duration of a request for media in seconds."] = 60.0
    max_image_mb: Annotated[float, "Maximum size of an image in MB (1,000,000 bytes). Larger ones are skipped."] = 20.0
    max_document_mb: Annotated[float, "Maximum size of a document in MB. Larger ones are skipped."] = 50.0
    max_video_mb: Annotated[
        float, "Maximum size of a video in MB. The size is requested first (HEAD), and larger ones are skipped."
    ] = 50.0
    max_width: Annotated[int, "Maximum width of stored images in pixels. Wider ones are made smaller."] = 1_920
    max_pixels: Annotated[int, "Maximum width times height of an image in pixels. Larger ones are skipped."] = (
        50_000_000
    )
    jpeg_quality: Annotated[int, "Quality of stored JPEG images."] = 80
    webp_quality: Annotated[int, "Quality of stored WebP images."] = 85
    process_seconds: Annotated[float, "Maximum processor time in seconds to read one asset."] = 30.0
    document_mb: Annotated[int, "Maximum memory in MB of the process that reads a document."] = 512
    document_characters: Annotated[int, "Maximum number of characters read from a document."] = 5_000_000

    @property
    def kinds(self) -> frozenset[MediaKind]:
        """The kinds of assets that are stored."""
        return frozenset(_KIND_OF[group] for group in self.include)

    @property
    def longest(self) -> float:
        """The seconds that an asset takes at most: a request for its size, one for it, and its processing.

        Processing takes longer than its processor time if other processes need the machine.
        """
        return 2 * self.timeout + 4 * self.process_seconds

    def most_bytes(self, kind: MediaKind) -> int:
        """Return the maximum size of an asset in bytes."""
        most = {MediaKind.VIDEO: self.max_video_mb, MediaKind.DOCUMENT: self.max_document_mb}
        return int(_MB * most.get(kind, self.max_image_mb))
