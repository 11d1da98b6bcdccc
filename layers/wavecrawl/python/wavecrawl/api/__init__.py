"""The REST API: HTTP only, the same for the functions of the cloud and for `wavecrawl serve`.

A request passes the middleware in this order: `responses` (problems, ETags, common headers), `authentication` (API key,
rate limit, role), `idempotency` (Idempotency-Key), the validation of Powertools, and then the route.

How to add a route:

1. Add its models to `wavecrawl/api_models/<resource>.py`. Models of requests derive from `RequestModel`, models of
   responses from `ResponseModel`. Describe each field: meaning, unit, default. If a domain value becomes a model, add a
   function to `api/serializers/<resource>.py`.
2. Add a function to `api/routes/<resource>.py`:

       @routes.on("GET", "/v1/crawls/{crawl}", summary="Get a crawl", problems=(HTTPStatus.NOT_FOUND,))
       def get_crawl(crawl: CrawlName) -> CrawlDetail:
           ...

   Its name is the operation ID: get, list, create, update or delete. Its docstring is the description. Parameters in
   the path come from the path; others are `Annotated[..., Query(...)]` or `Annotated[..., Header(...)]`; one model is
   the body. Name in `problems` what it returns beside the errors of all routes (see `openapi.statuses_of`).
3. Take the tenant from `routes.caller`, never from the request. Access is by role: GET needs `read`, other methods need
   `tenant`, and paths below `/v1/admin` need `admin`. To change that, pass `needs=` or `public=True`.
4. For a list, take `cursor: CursorQuery = None, limit: LimitQuery = PAGE` and return `next_cursor`. `routes.cursor`
   makes a cursor, `routes.position` reads it. Pass the same filters to both.
5. If the response contains a secret, pass `secret=True`: it is not stored for repeated requests.
6. Add the route to its module in `http_api.py`, and a new module to `RESOURCES` in `app.py`.
7. Add a method to `wavecrawl/client`, and an example to `generate/examples.py`. Run `make generate`.
8. Test it through the handler in tests/handlers/api/test_api_<resource>.py. What all routes have in common is tested
   already: test_api_every_route.py, and tests/unit/client/test_client_operations.py for the client's method.
"""
