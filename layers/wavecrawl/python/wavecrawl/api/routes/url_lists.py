"""Uploaded lists of URLs."""

import re
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import Routes, respond
from wavecrawl.api.serializers.url_lists import list_model, new_list_model
from wavecrawl.api_models import url_lists as models
from wavecrawl.application import uploaded_lists
from wavecrawl.application.tenants import tenant_of
from wavecrawl.ports.url_lists import UrlList

ListName = Annotated[str, Path(description="ID of a list.")]

_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
"""IDs of lists. Others are not looked up."""


def url_list_routes(backend: Backend) -> Routes:
    """Return the routes of uploaded lists."""
    routes = Routes(backend, tag="Lists")
    _creating(routes, backend)
    _reading(routes, backend)
    return routes


def _creating(routes: Routes, backend: Backend) -> None:
    @routes.on(
        "POST",
        "/v1/lists",
        summary="Create a list",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.CONFLICT,),
    )
    def create_list(new: models.NewUploadedList) -> Response[models.UploadedListWithTarget]:
        """Create a list of URLs, which is then uploaded as a file and checked.

        The file is UTF-8 text with one URL per line, or the same compressed with gzip. Empty lines and lines that start
        with `#` are ignored. Send it to `upload.url`, then check the list: `POST /v1/lists/{list}/check`. To crawl its
        URLs, set `discovery` to `list` and `url_list` to the ID, in the settings of a crawl or a site.

        Returns 409 if the tenant has 100 lists.
        """
        now = backend.clock.now()
        row = uploaded_lists.create_list(
            routes.caller.tenant,
            routes.decided(uploaded_lists.new_list_id()),
            name=new.name,
            size=new.bytes,
            lists=backend.url_lists,
            operator=backend.settings,
            now=now,
        )
        made = new_list_model(row, backend.url_lists.upload_url(row), now)
        return respond(made, status=HTTPStatus.CREATED, headers={"location": f"/v1/lists/{row.list}"})

    @routes.on(
        "POST",
        "/v1/lists/{list}/check",
        summary="Check a list",
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def check_list(list: ListName) -> models.UploadedList:  # noqa: A002 - the parameter of the path
        """Check the uploaded file of a list and store its URLs. The list is then `ready`.

        Returns 400 if the file cannot be used; the problem names the first line that is no URL. Returns 402 if it has
        more URLs than the plan allows; the problem's `ceiling` contains the limit. The list is `invalid` then. Returns
        409 if no file was uploaded.
        """
        checked = uploaded_lists.check_list(
            _list(routes, list),
            tenant=tenant_of(routes.caller.tenant, tenants=backend.tenants, own=backend.settings.tenant),
            lists=backend.url_lists,
            operator=backend.settings,
            now=backend.clock.now(),
        )
        return list_model(checked)


def _reading(routes: Routes, backend: Backend) -> None:
    @routes.on("GET", "/v1/lists", summary="List lists")
    def list_lists() -> models.UploadedLists:
        """List all lists of the tenant, newest first."""
        found = uploaded_lists.lists_of(routes.caller.tenant, lists=backend.url_lists, now=backend.clock.now())
        return models.UploadedLists(lists=[list_model(row) for row in found])

    @routes.on("GET", "/v1/lists/{list}", summary="Get a list", problems=(HTTPStatus.NOT_FOUND,))
    def get_list(list: ListName) -> models.UploadedList:  # noqa: A002 - the parameter of the path
        """Get the state of a list and the number of its URLs."""
        return list_model(_list(routes, list))

    @routes.on(
        "DELETE",
        "/v1/lists/{list}",
        summary="Delete a list",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_list(list: ListName) -> Response[None]:  # noqa: A002 - the parameter of the path
        """Delete a list. Crawls that were requested before have their own copies.

        Returns 409 if a saved site names the list.
        """
        uploaded_lists.delete_list(_list(routes, list), lists=backend.url_lists)
        return respond(None, status=HTTPStatus.NO_CONTENT)


def _list(routes: Routes, list_: str) -> UrlList:
    backend = routes.backend
    found = (
        uploaded_lists.find_list(routes.caller.tenant, list_, lists=backend.url_lists, now=backend.clock.now())
        if _ID.fullmatch(list_)
        else None
    )
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"list {list_} does not exist")
    return found
