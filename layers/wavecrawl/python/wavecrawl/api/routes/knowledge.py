"""Search in the knowledge index of a site."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import Routes
from wavecrawl.api_models.knowledge import FoundPassage, SearchIndex, SearchResults
from wavecrawl.application.index_report import IndexReport, index_report
from wavecrawl.application.search_site import LIMIT, MOST, MOST_QUESTION, Found
from wavecrawl.application.search_site import search_site as found_in
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.snippet import snippet
from wavecrawl.ports.knowledge import KnowledgePorts

Question = Annotated[
    str, Query(min_length=1, max_length=MOST_QUESTION, description="A question, or words, in any form.")
]
FoundLimit = Annotated[int, Query(ge=1, le=MOST, description="Maximum number of passages.")]
Mode = Annotated[
    SearchMode | None,
    Query(
        description="How passages are found: `words`, `vectors` (by meaning), or `hybrid` (both). Default: `hybrid`, "
        "or `words` if the index has no vectors."
    ),
]


_RETRY = "5"  # seconds until a search is worth repeating
SiteName = Annotated[str, Path(description="ID of a site: `site` of its crawls.")]


def knowledge_routes(backend: Backend) -> Routes:
    """Return the routes of the knowledge index."""
    routes = Routes(backend, tag="Knowledge")

    @routes.on(
        "GET",
        "/v1/sites/{site}/search",
        summary="Search a site",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def search_site(site: SiteName, q: Question, limit: FoundLimit = LIMIT, mode: Mode = None) -> SearchResults:
        """Search the texts of the site's pages, as of the last crawl that was indexed.

        Returns 409 with the header `Retry-After` while the site's first index is being built, and 404 if the site has
        no index, or if `mode` needs vectors and the index has none.
        """
        id_ = SiteId(tenant=routes.caller.tenant, site=site)
        report, ports = _report(id_, backend)
        if not report.can_search:
            raise _no_index(report, site)
        found = found_in(id_, q, ports, mode=mode, limit=limit)
        return SearchResults(passages=[_model(one, q) for one in found], index=_index(report, backend))

    @routes.on("GET", "/v1/sites/{site}/index", summary="Get the search index", problems=(HTTPStatus.NOT_FOUND,))
    def get_search_index(site: SiteName) -> SearchIndex:
        """Get the state of a site's search index. If texts are missing, they are indexed in the background."""
        report, _ = _report(SiteId(tenant=routes.caller.tenant, site=site), backend)
        return _index(report, backend)

    return routes


def _report(site: SiteId, backend: Backend) -> tuple[IndexReport, KnowledgePorts]:
    """Return the state of a site's index, and the ports. If texts are missing, request that they are indexed."""
    ports = backend.knowledge
    if ports is None or not backend.crawls.of_site(site.tenant, site.site, limit=1, before=""):
        raise Problem(HTTPStatus.NOT_FOUND, f"site {site.site} has no knowledge index")
    report = index_report(site, backend.crawls, ports)
    if report.status in (IndexStatus.WAITING, IndexStatus.BUILDING) and backend.index_requests is not None:
        backend.index_requests.request(site)
    return report, ports


def _no_index(report: IndexReport, site: str) -> Problem:
    """Return the problem of a search in a site without an index."""
    if report.status in (IndexStatus.WAITING, IndexStatus.BUILDING):
        return Problem(HTTPStatus.CONFLICT, f"{report.message}; retry in {_RETRY} s", headers={"retry-after": _RETRY})
    return Problem(HTTPStatus.NOT_FOUND, report.message or f"site {site} has no knowledge index")


def _index(report: IndexReport, backend: Backend) -> SearchIndex:
    return SearchIndex(
        status=report.status,
        can_search=report.can_search,
        crawl=report.crawl or None,
        next_crawl=report.next.id.crawl if report.next else None,
        pages_done=report.pages,
        pages_total=backend.waves.progress(report.next.id).fetched if report.next else 0,
        message=report.message,
    )


def _model(found: Found, question: str) -> FoundPassage:
    passage = found.passage
    return FoundPassage(
        id=passage.id,
        url=passage.url,
        key=passage.key,
        title=passage.title,
        heading_path=list(passage.headings),
        text=passage.text,
        markdown=passage.markdown,
        tokens=passage.tokens,
        snippet=snippet(passage.text, question),
        position=passage.position,
        score=found.score,
    )
