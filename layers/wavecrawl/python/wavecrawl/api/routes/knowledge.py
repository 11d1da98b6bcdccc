"""Search in the knowledge index of a site."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import Routes
from wavecrawl.api_models.knowledge import FoundPassage, SearchResults
from wavecrawl.application.search_site import LIMIT, MOST, MOST_QUESTION, Found
from wavecrawl.application.search_site import search_site as found_in
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.snippet import snippet

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


def knowledge_routes(backend: Backend) -> Routes:
    """Return the routes of the knowledge index."""
    routes = Routes(backend, tag="Knowledge")

    @routes.on("GET", "/v1/sites/{site}/search", summary="Search a site", problems=(HTTPStatus.NOT_FOUND,))
    def search_site(
        site: Annotated[str, Path(description="ID of a site: `site` of its crawls.")],
        q: Question,
        limit: FoundLimit = LIMIT,
        mode: Mode = None,
    ) -> SearchResults:
        """Search the texts of the site's pages, as of the last crawl that was indexed.

        Returns 404 if the site has no index, or if `mode` needs vectors and the index has none.
        """
        tenant = routes.caller.tenant
        ports = backend.knowledge
        if ports is None or not backend.crawls.of_site(tenant, site, limit=1, before=""):
            raise Problem(HTTPStatus.NOT_FOUND, f"site {site} has no knowledge index")
        found = found_in(SiteId(tenant=tenant, site=site), q, ports, mode=mode, limit=limit)
        return SearchResults(passages=[_model(one, q) for one in found])

    return routes


def _model(found: Found, question: str) -> FoundPassage:
    passage = found.passage
    return FoundPassage(
        id=passage.id,
        url=passage.url,
        key=passage.key,
        title=passage.title,
        heading_path=list(passage.headings),
        text=passage.text,
        snippet=snippet(passage.text, question),
        position=passage.position,
        score=found.score,
    )
