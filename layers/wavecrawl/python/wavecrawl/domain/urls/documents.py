"""Documents: PDF, office and e-book files, by their URL and by their response."""

_EXTENSIONS = tuple(f".{name}" for name in "pdf docx doc pptx ppt xlsx xls odt ods odp epub rtf".split())
_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_TYPES = frozenset(
    (
        *("application/pdf", "application/x-pdf", "application/epub+zip", "application/rtf", "text/rtf"),
        *("application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"),
        *(f"{_OPEN_XML}{name}" for name in ("wordprocessingml.document", "spreadsheetml.sheet")),
        *(f"{_OPEN_XML}presentationml.{name}" for name in ("presentation", "slideshow")),
        *(f"{_OPEN_DOCUMENT}{name}" for name in ("text", "spreadsheet", "presentation")),
    )
)
_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
_MAGIC = (b"%PDF-", b"{\\rtf")


def is_document(path: str) -> bool:
    """Return whether a URL path has the extension of a document."""
    return path.lower().endswith(_EXTENSIONS)


def is_document_response(content_type: str, body: bytes) -> bool:
    """Return whether a response with this media type is a document. Without a type, the first bytes decide."""
    return content_type in _TYPES or (content_type in _UNTYPED and body.startswith(_MAGIC))
