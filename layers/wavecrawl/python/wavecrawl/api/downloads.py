"""Files of one machine, by signed URL: they go past the API, in pieces, because they may be large."""

from collections.abc import Callable, Mapping
from typing import Any

from wavecrawl.adapters.embedded.downloads import DOWNLOADS, Download
from wavecrawl.api.asgi import Answer, FileResponse, Respond
from wavecrawl.api.problems import problem_of
from wavecrawl.errors import NotFoundError


def downloads(find: Callable[[str], Download]) -> Respond:
    """Return what responds to signed URLs."""

    def respond(event: Mapping[str, Any]) -> Answer | FileResponse | None:
        path = event["rawPath"]
        if event["requestContext"]["http"]["method"] != "GET" or not path.startswith(DOWNLOADS):
            return None
        try:
            found = find(path.removeprefix(DOWNLOADS))
        except NotFoundError as error:
            return problem_of(error).answer()
        headers = {
            "content-type": found.content_type,
            "content-disposition": found.disposition,
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-store",
        }
        return FileResponse(path=found.path, bytes=found.bytes, headers=headers)

    return respond
