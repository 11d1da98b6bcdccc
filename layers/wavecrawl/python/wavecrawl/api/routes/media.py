"""Media of a crawl, and stored assets."""

import re
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from msgspec.structs import asdict

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.analysis import OF_RESULTS
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.lists_so_far import open_list
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.media import asset_model
from wavecrawl.api_models.media import Asset, MediaList, MediaUrl, MediaUse, MediaUseList
from wavecrawl.application.assets import delete_asset as delete_stored
from wavecrawl.application.assets import find_asset
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.ports.media_results import AssetUse, MediaRow
from wavecrawl.ports.results import Part

AssetName = Annotated[str, Path(description="SHA-256 of the content of an asset, as received: 64 hex digits.")]

_HASH: Final = re.compile(r"[0-9a-f]{64}")

_KindQuery = Annotated[MediaKind | None, Query(description="Return only media of this kind.")]
_StateQuery = Annotated[UrlState | None, Query(description="Return only media URLs in this state.")]
_DuplicateQuery = Annotated[
    bool | None,
    Query(
        description="`true`: return only media URLs whose content an earlier one has. `false`: leave them out. See "
        "`duplicate_of`."
    ),
]
_DownloadsQuery = Annotated[bool, Query(description="Whether to return `download_url` of stored files.")]
_ForceQuery = Annotated[bool, Query(description="Whether to delete the asset even if pages use it.")]


def media_routes(backend: Backend) -> Routes:
    """Return the routes of media."""
    routes = Routes(backend, tag="Media")
    _register_lists(routes)
    _register_assets(routes)
    return routes


def _register_lists(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/media", summary="List media", problems=OF_RESULTS)
    def list_media(
        crawl: CrawlName,
        *,
        kind: _KindQuery = None,
        state: _StateQuery = None,
        duplicate: _DuplicateQuery = None,
        downloads: _DownloadsQuery = False,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> MediaList:
        """List the images, videos and documents that the pages of a crawl use, in the order in which pages name them.

        The list is empty if the crawl stores no media (setting `media.include`). Until the crawl has results, it
        contains the media of the pages of the waves up to `as_of_wave`.
        """
        row = crawl_of(routes, crawl)

        def url_of(media: MediaRow) -> str | None:
            return backend.media.signed_url(row.id.tenant, media.hash) if media.hash else None

        opened = open_list(routes, row, cursor, {"kind": kind, "state": state, "duplicate": duplicate})
        part: Part[MediaRow] = Part(total=0)
        if row.settings.lists_media:
            part = opened.so_far.results.media(
                row.id, kind=kind, state=state, duplicate=duplicate, limit=limit, after=opened.after
            )
        return MediaList(
            media=[MediaUrl(**asdict(one), download_url=url_of(one) if downloads else None) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
        )

    @routes.on("GET", "/v1/crawls/{crawl}/media/{asset}/uses", summary="List uses of an asset", problems=OF_RESULTS)
    def list_media_uses(
        crawl: CrawlName, asset: AssetName, cursor: CursorQuery = None, limit: LimitQuery = PAGE
    ) -> MediaUseList:
        """List the pages of a crawl that use an asset, in crawl order.

        Until the crawl has results, the list contains the pages of the waves up to `as_of_wave`.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_hash(asset)
        opened = open_list(routes, row, cursor, {"asset": asset})
        part: Part[AssetUse] = Part(total=0)
        if row.settings.lists_media:
            part = opened.so_far.results.uses_of(row.id, asset, limit=limit, after=opened.after)
        if not part.total:
            find_asset(routes.caller.tenant, asset, backend)
        return MediaUseList(
            uses=[MediaUse(**asdict(one)) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
        )


def _register_assets(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/media/{asset}", summary="Get an asset", problems=(HTTPStatus.NOT_FOUND,))
    def get_asset(asset: AssetName) -> Asset:
        """Get a stored asset: its facts, the beginning of its text if it is a document, and a download URL."""
        _must_be_a_hash(asset)
        tenant = routes.caller.tenant
        stored = find_asset(tenant, asset, backend)
        return asset_model(stored, download_url=backend.media.signed_url(tenant, asset))

    @routes.on(
        "DELETE",
        "/v1/media/{asset}",
        summary="Delete an asset",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_asset(asset: AssetName, *, force: _ForceQuery = False) -> Response[None]:
        """Delete a stored asset and its file. The results of crawls still name it.

        Returns 409, unless `force` is true, if a page uses the asset in any crawl of the tenant, or if a crawl that
        stores media is running or has no results. A later crawl stores it again if pages still use it.
        """
        _must_be_a_hash(asset)
        delete_stored(routes.caller.tenant, asset, backend, force=force)
        return respond(None, status=HTTPStatus.NO_CONTENT)


def _must_be_a_hash(text: str) -> None:
    if not _HASH.fullmatch(text):
        raise Problem(HTTPStatus.NOT_FOUND, f"asset {text} does not exist")
