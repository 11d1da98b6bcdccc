"""Records of unchanged pages: small ones, which refer to the record of the page's last full response."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final, TypeVar

from msgspec import NODEFAULT, Struct, structs

from wavecrawl.domain.crawl.record import Link, PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import StoredPayload
from wavecrawl.domain.urls.spellings import key_of_page

_Shape = TypeVar("_Shape", bound=Struct)

_CONTENT = (
    "content_type", "charset", "is_html", "header_canonical", "header_robots", "truncated", "truncated_reason",
    "facts", "json_shape", "fragments",
    "links", "rules_hash", "body_hash", "link_hash", "shell", "rendered", "render_added", "opened", "exchange_at",
    "scripted", "needed_action", "text_added", "screenshot", "brand", "payload", "header_policies",
    "header_alternates", "header_refresh",
)  # fmt: skip
_IF_EMPTY = (
    "etag",
    "last_modified",
    "reason",
    "ids_added",
)  # the content has them too, unless the response has its own
_MEASURES = ("status", "bytes", "decoded_bytes")  # of the response with the content
NOT_MODIFIED: Final = 304
_OK = 200
_DEFAULTS = {field.name: field.default for field in structs.fields(PageRecord) if field.default is not NODEFAULT}


def body_hash(body: bytes, content_type: str) -> str:
    """Return the hash of a response: of its body without content coding, and its Content-Type; 32 hex digits."""
    digest = blake2b(body, digest_size=16)
    digest.update(content_type.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def link_hash(links: Iterable[Link], *, key: str, url: str) -> str:
    """Return the hash of a page's structure: of the pages that it links to, in any order; "" if there are none.

    `key` and `url` are those of the page. It does not matter whether the path of a link ends in a slash.
    """
    own = key_of_page(key, url)
    keys = sorted({own if link.key == key else key_of_page(link.key, link.url) for link in links})
    return blake2b("".join(keys).encode(), digest_size=8).hexdigest() if keys else ""


def payload_of(before: PageRecord) -> StoredPayload:
    """Return the response with the content of a record, also of one that an earlier version stored."""
    return before.payload or StoredPayload(url=before.final_url or before.url, at=before.fetched_at)


def reference_to(before: PageRecord, place: str, record: PageRecord) -> PageRecord:
    """Return the record of an unchanged page without its content. It refers to the record `before` at `place`.

    It has only what differs from `before`.
    """
    values = {name: _DEFAULTS[name] for name in _CONTENT}
    values |= {name: _DEFAULTS[name] for name in _IF_EMPTY if getattr(record, name) == getattr(before, name)}
    times = {"response_time": round(record.response_time, 6), "elapsed": round(record.elapsed, 6)}
    return structs.replace(record, **values, **times, body_at=place)


def without_defaults(record: PageRecord) -> dict[str, object]:
    """Return the fields of a record that differ from their defaults, by name."""
    values = {name: getattr(record, name) for name in PageRecord.__struct_fields__}
    return {name: value for name, value in values.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}


def needs_content(record: Struct) -> str:
    """Return the place of the record that has the content of this one; "" if this one has it."""
    if getattr(record, "state", None) is not UrlState.UNCHANGED or getattr(record, "facts", None) is not None:
        return ""
    return str(getattr(record, "body_at", ""))


def with_content(record: _Shape, before: Struct) -> _Shape:
    """Return the record of an unchanged page with the content of the record that it refers to, of the same shape."""
    values = of_stored_response(record, before)
    for name in record.__struct_fields__:
        if name in _CONTENT or (name in _IF_EMPTY and not getattr(record, name)):
            values[name] = getattr(before, name)
    return structs.replace(record, **values)


def of_stored_response(record: Struct, before: Struct) -> dict[str, object]:
    """Return the status and size of the response with the content, if the server only confirmed it with status 304.

    An unchanged page looks the same however the server says so; `revalidated` shows that it sent no body.
    """
    if getattr(record, "status", None) != NOT_MODIFIED:
        return {}
    values: dict[str, object] = {name: getattr(before, name) for name in _MEASURES if name in record.__struct_fields__}
    if values.get("status") == NOT_MODIFIED:  # an earlier version stored a rendered page in this way
        values["status"] = _OK
    return values | ({"revalidated": True} if "revalidated" in record.__struct_fields__ else {})
