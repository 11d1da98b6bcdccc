"""The REST API: one resolver in the cloud (functions/api) and on one machine (`wavecrawl serve`).

What happens to a request, from the outside in: `answering` (problems, ETags, headers of every answer), `gate` (who may
come in: size, key, role, rate), `repeats` (Idempotency-Key), Powertools' validation of parameters and body, the route.

How a route is added:

1. Its models go into `models_<resource>.py`: what comes in derives from `models.Asked` (unknown fields are refused;
   use `Whole`, `Real`, `Flag` there, which take no numbers in quotes), what goes out from `models.Shown`. Times are
   `models.Moment`, made by `models.moment(unix_seconds)`.
2. Its function goes into the resource's module, such as `crawls.py`:

       def crawl_routes(backend: Backend) -> Routes:
           routes = Routes(backend, tag="crawls")

           @routes.on("GET", "/v1/crawls/{crawl}", summary="Look at a crawl", problems=(NOT_FOUND,))
           def read_crawl(crawl: CrawlName) -> CrawlInFull: ...

   The function's name is the operation's id, its docstring the description. Parameters named in the path come from the
   path; others are `Annotated[..., Query(...)]` or `Annotated[..., Header(...)]` (aws_lambda_powertools
   .event_handler.openapi.params), one pydantic model is the body. It returns a model, or `answer(model, headers={...},
   status=...)` where headers or a status of its own are needed. It raises `Problem` or any error that `web.problems`
   knows. Each status of its own that it may answer stands in `problems`; those every route has (400, 401, 403, 429,
   5xx; 409, 413, 415, 422 where there is a body) need not be named.
3. `routes.caller` says who asks: tenant, role, key. The tenant comes from there and never from the request. GET needs
   role `read`, all else `tenant`, `/v1/admin` needs `admin`; `needs=` says otherwise, `public=True` opens a route to
   everybody.
4. Lists take `cursor: CursorQuery = None, limit: LimitQuery = PAGE` and answer `next_cursor`: `routes.cursor(position,
   **filters)` makes one, `routes.position(cursor, **filters)` returns the position ("" for the first page), and refuses
   a cursor of another tenant, route or filter.
5. POST takes Idempotency-Key by itself. An answer that holds a secret is kept nowhere: say `secret=True`.
6. A new module is named in `resources.py`; each route stands in `route_list.py`, which the deployment is made from.
7. Ports come from `routes.backend`: a new one is added to `ports.all_ports`, `bootstrap.cloud` and `bootstrap.store`.
8. Tests: tests/handlers/api/test_api_<resource>.py, through the real handler; tests/support/asking.py asks. What every
   route must do (keys, tenants, documents) is tested over all of them in tests/handlers/api/test_api_every_route.py.
9. docs/api.md and `wavecrawl.client` follow from the description: give the new operation an example in
   generate/examples.py, and run `make generate`.
"""
