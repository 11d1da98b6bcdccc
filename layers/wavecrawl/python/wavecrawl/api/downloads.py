"""Files of one machine, by signed URL: they go past the API, in pieces, because they may be large."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from wavecrawl.adapters.embedded.downloads import DOWNLOADS, Download
from wavecrawl.api.asgi import Answer, FileResponse, Respond
from wavecrawl.api.byte_range import requested_span
from wavecrawl.api.problems import Problem, problem_of
from wavecrawl.errors import NotFoundError


def downloads(find: Callable[[str], Download]) -> Respond:
    """Return what responds to signed URLs."""

    def respond(event: Mapping[str, Any]) -> Answer | FileResponse | None:
        path, method = event["rawPath"], event["requestContext"]["http"]["method"]
        if method not in ("GET", "HEAD") or not path.startswith(DOWNLOADS):
            return None
        try:
            found = find(path.removeprefix(DOWNLOADS))
            return _response(found, event["headers"], is_head=method == "HEAD")
        except (NotFoundError, Problem) as error:
            answer = problem_of(error).answer()
            return answer | {"body": ""} if method == "HEAD" else answer

    return respond


def _response(found: Download, asked: Mapping[str, str], *, is_head: bool) -> FileResponse:
    """Return a file, or the range of it that a GET request asks for. Raise Problem 416 if it has no such bytes.

    If the file is another one than that of an earlier range (If-Range), the response is the whole file.
    """
    is_same = asked.get("if-range", found.etag) == found.etag
    range_ = asked.get("range", "") if is_same and not is_head else ""
    span = requested_span(range_, found.bytes, what="the file")
    headers = {
        "content-type": found.content_type,
        "content-disposition": found.disposition,
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
        "accept-ranges": "bytes",
        "etag": found.etag,
    }
    if span is None:
        return FileResponse(path=found.path, bytes=found.bytes, headers=headers, is_head=is_head)
    first, last = span
    headers["content-range"] = f"bytes {first}-{last}/{found.bytes}"
    return FileResponse(
        path=found.path,
        bytes=last - first + 1,
        headers=headers,
        status=HTTPStatus.PARTIAL_CONTENT,
        first=first,
    )
