"""Limits of processing."""

from msgspec import Struct


class ProcessingLimits(Struct, frozen=True, kw_only=True):
    """How images are compressed, and what reading one file may take."""

    max_width: int = 1920  # pixels of stored images
    max_pixels: int = 50_000_000  # of an image, width x height; images with more are refused before they are decoded
    jpeg_quality: int = 80  # 1 to 95
    webp_quality: int = 85  # 0 to 100
    seconds: float = 30.0  # of processor time per file
    document_memory: int = 512  # MiB of the process that reads a document
    max_text: int = 5_000_000  # characters of a document

    @property
    def image_memory(self) -> int:
        """MiB of the process that reads an image: decoded and converted once, with 4 bytes per pixel each."""
        return 256 + 8 * self.max_pixels // 2**20
