"""Formats of media, found from the first bytes of a file. Names and Content-Types are not considered.

Sources: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern and #signature-for-mp4, ISO 14496-12 section
4.3 (brands), RFC 9559 section 8 (EBML), RFC 3533 section 6 (Ogg), ISO 32000-1 section 7.5.2 (PDF), MS-CFB section 2.2.
"""

import mmap
import re
from pathlib import Path

from msgspec import Struct

from wavecrawl.domain.media.kinds import MediaKind

_HEAD = 4_096  # bytes that are looked at
_PDF_WITHIN = 1_024  # bytes before "%PDF-", as readers accept

_SVG = re.compile(  # without the atomic group, a row of comments would take exponential time
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<\?(?!xml\s)[^>]*\?>\s*|<!--(?>.*?-->)\s*|<!DOCTYPE\s+svg(?:[^\[>]|\[[^\]]*\])*>\s*)*"
    rb"<(?:[A-Za-z_][\w.-]*:)?svg[\s>/]",
    re.DOTALL,
)
_WORD_STREAM = "WordDocument".encode("utf-16-le")  # name of a stream in a compound file


class Format(Struct, frozen=True, kw_only=True, gc=False):
    """A format that is stored."""

    kind: MediaKind
    media_type: str
    extension: str  # without a dot


def _image(media_type: str, extension: str) -> Format:
    return Format(kind=MediaKind.IMAGE, media_type=f"image/{media_type}", extension=extension)


def _video(media_type: str, extension: str) -> Format:
    return Format(kind=MediaKind.VIDEO, media_type=f"video/{media_type}", extension=extension)


def _document(media_type: str, extension: str) -> Format:
    return Format(kind=MediaKind.DOCUMENT, media_type=f"application/{media_type}", extension=extension)


JPEG, PNG, GIF = _image("jpeg", "jpg"), _image("png", "png"), _image("gif", "gif")
WEBP, AVIF, BMP = _image("webp", "webp"), _image("avif", "avif"), _image("bmp", "bmp")
TIFF, ICO, SVG = _image("tiff", "tiff"), _image("x-icon", "ico"), _image("svg+xml", "svg")
MP4, M4V, MOV = _video("mp4", "mp4"), _video("x-m4v", "m4v"), _video("quicktime", "mov")
WEBM, OGV = _video("webm", "webm"), _video("ogg", "ogv")
PDF, DOC = _document("pdf", "pdf"), _document("msword", "doc")
DOCX = _document("vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")

_MAGIC = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"\0\0\1\0", ICO),
    (b"PK\3\4", DOCX),  # a ZIP file; whether it is a Word document is found when it is read
)
_BRANDS = {b"avif": AVIF, b"avis": AVIF, b"qt  ": MOV, b"M4V ": M4V, b"M4VH": M4V, b"M4VP": M4V}
_NOT_STORED = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"M4A ", b"M4B ", b"M4P ")  # HEIF images and audio
_QUICKTIME = (b"moov", b"mdat", b"wide")  # the first box of files from before ISO 14496-12


def format_of(path: Path) -> Format | None:
    """Return the format of a file, None if it is none that is stored."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return (
        _boxes(head)  # first: the size of a box may look like the magic of an icon
        or next((found for magic, found in _MAGIC if head.startswith(magic)), None)
        or _riff_or_bmp(head)
        or _stream(head)
        or _text_or_document(path, head)
    )


def _riff_or_bmp(head: bytes) -> Format | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if head[:2] == b"BM" and head[6:10] == bytes(4) and len(head) > 14:  # noqa: PLR2004 - bytes of the file header
        return BMP
    return None


def _boxes(head: bytes) -> Format | None:
    """Return the format of an ISO base media file or its predecessor."""
    if head[4:8] in _QUICKTIME:
        return MOV
    if head[4:8] != b"ftyp":
        return None
    size = min(int.from_bytes(head[:4], "big"), len(head))
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, size - 3, 4))]
    for brand in brands:
        if brand in _BRANDS:
            return _BRANDS[brand]
    return None if brands[0] in _NOT_STORED else MP4


def _stream(head: bytes) -> Format | None:
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return WEBM if b"webm" in head[:64] else None
    if head.startswith(b"OggS"):
        return OGV if b"\x80theora" in head or b"\x01video" in head else None
    return None


def _text_or_document(path: Path, head: bytes) -> Format | None:
    text = head.removeprefix(b"\xef\xbb\xbf")
    if text.lstrip()[:1] == b"<":
        return SVG if _SVG.match(text) else None  # HTML may contain anything else
    if b"%PDF-" in head[: _PDF_WITHIN + 5]:
        return PDF
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") and _contains(path, _WORD_STREAM):
        return DOC
    return None


def _contains(path: Path, wanted: bytes) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(wanted) >= 0
