"""The API: start, look at, cancel crawls; download their results. Every answer but a success is an RFC 9457 problem."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from secrets import token_hex
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.web.api_keys import is_known_key
from wavecrawl.web.crawl_views import in_full, outline, started
from wavecrawl.web.http_request import HttpRequest, http_request
from wavecrawl.web.problems import JSON, PROBLEM_JSON, Problem, problem_of
from wavecrawl.web.telemetry import about, count, logger

_LIMIT, _MOST = 20, 100  # crawls on a page
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")  # what may be a crawl's id; anything else would only trouble the table
_PATHS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"/health"), "GET"),
    (re.compile(r"/v1/crawls"), "GET, POST"),
    (re.compile(r"/v1/crawls/[^/]+"), "GET"),
    (re.compile(r"/v1/crawls/[^/]+/cancel"), "POST"),
    (re.compile(r"/v1/crawls/[^/]+/exports"), "GET"),
)

Next = Callable[[APIGatewayHttpResolver], Response[str]]


def crawl_api(cloud: Cloud) -> APIGatewayHttpResolver:
    """Return what answers the API's events."""
    app = APIGatewayHttpResolver()
    app.use(middlewares=[_authorization(cloud)])
    app.not_found(partial(_not_found, app))
    app.exception_handler(Exception)(_problem)
    routes = _Routes(app, cloud)
    app.get("/health")(routes.health)
    app.post("/v1/crawls")(routes.start)
    app.get("/v1/crawls")(routes.crawls)
    app.get("/v1/crawls/<crawl>")(routes.crawl)
    app.post("/v1/crawls/<crawl>/cancel")(routes.cancel)
    app.get("/v1/crawls/<crawl>/exports")(routes.exports)
    return app


class _Routes:
    def __init__(self, app: APIGatewayHttpResolver, cloud: Cloud) -> None:
        self._app = app
        self._cloud = cloud

    def health(self) -> Response[str]:
        return _json(HTTPStatus.OK, {"status": "ok"})

    def start(self) -> Response[str]:
        from wavecrawl.application.request_crawl import request_crawl  # noqa: PLC0415 - the one route that parses URLs
        from wavecrawl.application.start_crawl import crawl_id_at, site_of  # noqa: PLC0415 - the same
        from wavecrawl.domain.job import CrawlId  # noqa: PLC0415 - the same
        from wavecrawl.web.crawl_request import crawl_request  # noqa: PLC0415 - the same

        cloud, settings = self._cloud, self._cloud.settings
        request = http_request(self._app.current_event.raw_event, max_body=settings.max_body_bytes)
        _must_be_json(request)
        asked = crawl_request(
            request.body,
            contact=settings.contact,
            allowed_addresses=settings.allowed_addresses,
            lease=settings.lease,
        )
        id_ = CrawlId(
            tenant=settings.tenant,
            site=site_of(asked.url, asked.settings),
            crawl=crawl_id_at(cloud.clock.now(), token_hex(4)),
        )
        about(id_)
        row = request_crawl(
            id_,
            asked.url,
            asked.settings,
            crawls=cloud.crawls,
            launcher=cloud.launcher,
            clock=cloud.clock,
            tenants=cloud.tenants,
            own_tenant=settings.tenant,
            pages_named=asked.pages_named,
        )
        count("CrawlsStarted")
        return _json(HTTPStatus.ACCEPTED, started(row), {"location": f"/v1/crawls/{row.id.crawl}"})

    def crawls(self) -> Response[str]:
        asked = self._app.current_event.query_string_parameters or {}
        limit = _limit(asked.get("limit", str(_LIMIT)))
        before = _before(asked.get("before", ""))
        rows = self._cloud.crawls.of_tenant(self._cloud.settings.tenant, limit=limit + 1, before=before)
        shown = rows[:limit]
        following = shown[-1].id.crawl if len(rows) > limit else None
        return _json(HTTPStatus.OK, {"crawls": [outline(row) for row in shown], "next_before": following})

    def crawl(self, crawl: str) -> Response[str]:
        from wavecrawl.adapters.aws.progress import progress_of  # noqa: PLC0415 - loads botocore

        row = self._row(crawl)
        return _json(HTTPStatus.OK, in_full(row, progress_of(self._cloud.table, row.id)))

    def cancel(self, crawl: str) -> Response[str]:
        row = self._row(crawl)
        if not self._cloud.crawls.ask_to_cancel(row.id):
            problem = f"crawl {crawl} is not running: it is {row.status.value}"
            raise Problem(HTTPStatus.CONFLICT, problem, crawl=crawl, crawl_status=row.status.value)
        return _json(HTTPStatus.ACCEPTED, started(row) | {"cancel_asked": True})

    def exports(self, crawl: str) -> Response[str]:
        from wavecrawl.adapters.aws.exports import LIFETIME  # noqa: PLC0415 - loads botocore

        row, exports = self._row(crawl), self._cloud.exports
        until = datetime.fromtimestamp(self._cloud.clock.now() + LIFETIME, tz=UTC)
        files = [
            {
                "name": export.name,
                "bytes": export.bytes,
                "content_type": export.content_type,
                "url": exports.signed_url(row.id, export),
            }
            for export in exports.of(row.id)
        ]
        return _json(HTTPStatus.OK, {**started(row), "expires_at": f"{until:%Y-%m-%dT%H:%M:%SZ}", "exports": files})

    def _row(self, crawl: str) -> CrawlRow:
        row = self._cloud.crawls.find(self._cloud.settings.tenant, crawl) if _ID.fullmatch(crawl) else None
        if row is None:
            raise Problem(HTTPStatus.NOT_FOUND, f"there is no crawl {crawl}")
        about(row.id)
        return row


def _authorization(cloud: Cloud) -> Callable[[APIGatewayHttpResolver, Next], Response[str]]:
    def authorized(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[str]:
        """Let those pass who show a key; whoever asks for the health needs none."""
        if app.current_event.path != "/health":
            scheme, _, key = app.current_event.headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not is_known_key(key.strip(), cloud.secrets.current().api_keys):
                raise Problem(
                    HTTPStatus.UNAUTHORIZED,
                    "show an API key: Authorization: Bearer <key>",
                    headers={"www-authenticate": "Bearer"},
                )
        return next_middleware(app)

    return authorized


def _not_found(app: APIGatewayHttpResolver, _: Exception) -> Response[str]:
    path = app.current_event.path
    for pattern, methods in _PATHS:
        if pattern.fullmatch(path):
            detail = f"{path} answers to {methods}"
            return _problem(Problem(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"allow": methods}))
    return _problem(Problem(HTTPStatus.NOT_FOUND, f"there is no {path}"))


def _problem(error: Exception) -> Response[str]:
    problem = problem_of(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("request failed", exc_info=error)
        count("Failed")
    return Response(
        status_code=problem.status.value,
        content_type=PROBLEM_JSON,
        body=json.dumps(problem.document()),
        headers=dict(problem.headers),
    )


def _json(status: HTTPStatus, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response[str]:
    return Response(status_code=status.value, content_type=JSON, body=json.dumps(body), headers=dict(headers or {}))


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise Problem(HTTPStatus.BAD_REQUEST, f"limit: must be a number from 1 to {_MOST}: {text!r}")
    return int(text)


def _before(text: str) -> str:
    if text and not _ID.fullmatch(text):
        raise Problem(HTTPStatus.BAD_REQUEST, f"before: must be the id of a crawl: {text!r}")
    return text


def _must_be_json(request: HttpRequest) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {JSON}, not {kind or 'a body of no type'}")
