"""Files of one machine, by signed URL: they go past the API, in pieces, because they may be large."""

import json
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wavecrawl.adapters.embedded.downloads import DOWNLOADS, Download
from wavecrawl.api.problems import PROBLEM_JSON, Problem
from wavecrawl.errors import NotFoundError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_PIECE: Final = 256 * 1024  # bytes


def with_downloads(api: "WSGIApplication", download: Callable[[str], Download]) -> "WSGIApplication":
    """Return an application that answers signed URLs itself, and leaves everything else to the API."""

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if environ["REQUEST_METHOD"] != "GET" or not path.startswith(DOWNLOADS):
            return api(environ, start_response)
        try:
            found = download(path.removeprefix(DOWNLOADS))
        except NotFoundError as error:
            return _refused(str(error), start_response)
        start_response(
            "200 OK",
            [
                ("content-type", found.content_type),
                ("content-length", str(found.bytes)),
                ("content-disposition", found.disposition),
                ("x-content-type-options", "nosniff"),
                ("cache-control", "private, no-store"),
            ],
        )
        return _pieces(found.path)

    return application


def _refused(detail: str, start_response: "StartResponse") -> Iterable[bytes]:
    body = json.dumps(Problem(HTTPStatus.NOT_FOUND, detail).document()).encode()
    start_response("404 Not Found", [("content-type", PROBLEM_JSON), ("content-length", str(len(body)))])
    return [body]


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
