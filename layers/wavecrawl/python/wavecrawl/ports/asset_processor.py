"""The asset processor: finds out what a downloaded file is, and makes the file that is stored."""

from pathlib import Path
from typing import Protocol

import msgspec

from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind


class ProcessedAsset(msgspec.Struct, frozen=True, kw_only=True):
    """An asset and the file to store: the downloaded one, or a smaller one beside it."""

    asset: Asset
    path: Path


class AssetProcessor(Protocol):
    """Processes downloaded files, within limits of time and memory. Safe to share between threads.

    A file's content decides what it is, never its name or Content-Type. Images are compressed: EXIF orientation
    applied, metadata removed, at most `media.max_width` pixels wide, never larger than the original. The text of PDF
    and DOCX files is read in a child process, so that a hostile file ends only its own processing.
    """

    def process(self, path: Path, *, wanted: frozenset[MediaKind]) -> ProcessedAsset:
        """Process the file at `path`; the result may be that file or a new one in the same folder.

        Raise UnusableAssetError if the content is no media of a `wanted` kind, is empty, or exceeds a limit such as
        `media.max_pixels`. A document whose text cannot be read is no error: its `document.problem` says why.
        """
        ...
