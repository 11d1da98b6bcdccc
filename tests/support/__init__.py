"""Code shared by tests, other than fixtures.

Running tests: `session` (work done once for all workers), `scheduling` (which worker runs what), `patience`
(waiting for another process), `still_clock`, `unsynced` (files that are not written through to the disk).

Sites and crawls: `crawling` (crawls in this process), `quick_workers` (worker processes without their imports),
`simulation` (a crawl in one thread, with faults), `paused_site` (a site that holds its responses), `killed_crawls`
(crawls that end by `kill -9`), `docs_sites` (Debian's documentation packages), `faulty_site` (a site whose parts
fail for a while), `canned` (a page client without a server), `sites` (saved sites over SQLite), `five_crawls`
(crawls whose figures are compared).

`hostile`: what hostile sites send, with the outcomes.

Earlier versions: `earlier_release` (all that a release stores), `earlier_files` (single files without later columns).

Archives: `small_wacz` (packages of a few responses, and the engine that replays them), `replay_wacz` (pywb).

Browsers: `fake_browser`, `shell_site` (a site of which scripts make a part), `faked_workers` (worker processes that
render it), `browser_apps` (applications that JavaScript renders) and `app_server`, `chromium`, `launching`
(Chromium as people use it), `dashboard` (a person who looks at it).

Expected results: `oracle` (an independent walk over a site), `verdict` (a crawl against its generator's
answer), `comparing` (two crawls, byte for byte), `conformance` (pages and what the standards say about them).

Media: `pictures`, `documents` (written byte by byte), `sample_documents` (made once, by many programs).

The API: `asking` (requests to a handler), `serving` (`wavecrawl serve`), `examples` (the examples of
docs/api.md), `fuzzing` and `fuzz_hooks` (schemathesis), `two_tenants`, `scripted_api` (an API that the
client's tests script), `sse` (a client of event streams).

Webhooks: `signing` (signed messages), `receiver`.

AWS: `emulator` (ministack), `synthesis` (the template), `deploy` (the template on the emulator), `cloud` (the
deployed service), `functions` (the handlers over moto), `serverless` (a crawl through the handlers), `faults`
(what breaks in the emulator's Lambda functions), `sent_messages` (counts what they send), `scripted_machine`
(the state machine over scripted functions), `called` and `rights` (what functions use and what their roles
allow), `no_events`, `binaries` (what the programs of the layers need) and `lambda_runtime` (what they find there).
"""
