"""Documents: PDF and Word files, by their URL and by their response."""

_EXTENSIONS = (".pdf", ".docx", ".doc")
_TYPES = frozenset(
    (
        "application/pdf",
        "application/x-pdf",
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )
)
_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
_PDF = b"%PDF-"


def is_document(path: str) -> bool:
    """Return whether a URL path has the extension of a document."""
    return path.lower().endswith(_EXTENSIONS)


def is_document_response(content_type: str, body: bytes) -> bool:
    """Return whether a response with this media type is a document. Without a type, the first bytes decide."""
    return content_type in _TYPES or (content_type in _UNTYPED and body.startswith(_PDF))
