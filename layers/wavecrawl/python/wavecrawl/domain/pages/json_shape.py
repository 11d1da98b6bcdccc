"""The shape of a JSON document: responses of one endpoint have the same one."""

import msgspec
from xxhash import xxh3_64_intdigest

_LARGEST = 1_048_576  # bytes; longer documents are not read
_DEEPEST = 20


def is_json(content_type: str) -> bool:
    """Return whether a media type is JSON (RFC 8259, RFC 6839)."""
    return content_type in ("application/json", "text/json") or content_type.endswith("+json")


def json_shape(body: bytes) -> int:
    """Return a 64-bit hash of the document's set of key paths and types; 0 if it is no JSON, or longer than 1 MiB."""
    if len(body) > _LARGEST:
        return 0
    try:
        document = msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return 0
    paths: set[str] = set()
    waiting: list[tuple[str, object, int]] = [("", document, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        if isinstance(value, dict) and depth < _DEEPEST:
            waiting += [(f"{path}.{name}", part, depth + 1) for name, part in value.items()]
        elif isinstance(value, list) and depth < _DEEPEST:
            waiting += [(f"{path}[]", part, depth + 1) for part in value]
        paths.add(path)
    return xxh3_64_intdigest("\n".join(sorted(paths)).encode("utf-8", "replace"))
