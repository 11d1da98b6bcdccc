"""Formats of media, found from the first bytes of a file. Names and Content-Types are not considered.

Sources: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern and #signature-for-mp4, ISO 14496-12 section
4.3 (brands), RFC 9559 section 8 (EBML), RFC 3533 section 6 (Ogg), ISO 32000-1 section 7.5.2 (PDF), MS-CFB section 2.2,
OpenDocument 1.2 part 3 section 3.3 and EPUB OCF section 4.3 (the part "mimetype"), APPNOTE 6.3.10 (ZIP), RTF 1.9.1.
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
XLS, PPT = _document("vnd.ms-excel", "xls"), _document("vnd.ms-powerpoint", "ppt")
DOCX, XLSX, PPTX = (
    _document(f"vnd.openxmlformats-officedocument.{media_type}", extension)
    for media_type, extension in (
        ("wordprocessingml.document", "docx"),
        ("spreadsheetml.sheet", "xlsx"),
        ("presentationml.presentation", "pptx"),
    )
)
ODT, ODS, ODP = (
    _document(f"vnd.oasis.opendocument.{kind}", extension)
    for kind, extension in (("text", "odt"), ("spreadsheet", "ods"), ("presentation", "odp"))
)
EPUB, RTF = _document("epub+zip", "epub"), _document("rtf", "rtf")

_MAGIC = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"\0\0\1\0", ICO),
    (b"{\\rtf", RTF),
)
_ZIP, _COMPOUND = b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MIMETYPES = tuple((f"mimetype{one.media_type}".encode(), one) for one in (ODT, ODS, ODP, EPUB))
_MAIN_PARTS = ((b"ppt/presentation", PPTX), (b"xl/workbook", XLSX))
_END_OF_ZIP = b"PK\5\6"
_MOST_AFTER = 65_557  # bytes of the last record of a ZIP file
_STREAMS = tuple(  # names of streams in a compound file
    (name.encode("utf-16-le"), format_)
    for name, format_ in (("WordDocument", DOC), ("PowerPoint Document", PPT), ("Workbook", XLS), ("Book\0", XLS))
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
        or (_zipped(path, head) if head.startswith(_ZIP) else None)
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
    if head.startswith(_COMPOUND):
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return next((found for name, found in _STREAMS if content.find(name) >= 0), None)
    return None


def _zipped(path: Path, head: bytes) -> Format:
    """Return the format of a ZIP file by the names of its parts. Whether it is a document is found when it is read."""
    mimetype = head[30:]  # the name of the first part, and its content if that is not compressed
    for begin, kind in _MIMETYPES:
        if mimetype.startswith(begin):
            return kind
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content.rfind(_END_OF_ZIP, max(0, len(content) - _MOST_AFTER))
        # Only the list of parts is searched: a part can be another document, with names of its own.
        start = int.from_bytes(content[end + 16 : end + 20], "little") if end >= 0 else 0
        return next((found for name, found in _MAIN_PARTS if content.find(name, start, end) >= 0), DOCX)
