"""The shape of a JSON document: responses of one endpoint have the same one."""

import msgspec
from xxhash import xxh3_64_intdigest

_LARGEST = 1_048_576  # bytes; longer documents are not read
_DEEPEST = 20


def is_json(content_type: str) -> bool:
    """Return whether a media type is JSON (RFC 8259, RFC 6839)."""
    return content_type in ("application/json", "text/json") or content_type.endswith("+json")


def json_shape(body: bytes) -> int:
    """Return a 64-bit hash of the document's set of key paths; 0 if it is no JSON, or longer than 1 MiB."""
    if len(body) > _LARGEST:
        return 0
    try:
        document = msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return 0
    paths: set[int] = set()  # as hashes: the keys of a document can be so long that its paths do not fit into memory
    waiting: list[tuple[int, object, int]] = [(0, document, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        paths.add(path)
        if depth == _DEEPEST:
            continue
        if isinstance(value, dict):
            waiting += [(_below(path, f".{name}"), part, depth + 1) for name, part in value.items()]
        elif value and isinstance(value, list):
            below = _below(path, "[]")
            paths.add(below)
            waiting += [(below, part, depth + 1) for part in value if isinstance(part, dict | list)]
    return xxh3_64_intdigest(b"".join(path.to_bytes(8, "little") for path in sorted(paths)))


def _below(path: int, step: str) -> int:
    return int(xxh3_64_intdigest(step.encode("utf-8", "replace"), seed=path))
