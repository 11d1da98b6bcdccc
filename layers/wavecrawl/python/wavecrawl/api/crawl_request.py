"""The body of a webhook message that requests a crawl."""

import json
from http import HTTPStatus

from wavecrawl.api.problems import Problem
from wavecrawl.application.crawl_settings import crawl_settings, named_settings
from wavecrawl.application.request_crawl import CrawlRequest
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.errors import InvalidSettingsError


def crawl_request(body: bytes) -> CrawlRequest:
    """Return the crawl that a body requests: `{"url": ..., "settings": {...}}`, or `site` in place of `url`.

    Raise Problem 400 if the body is not a JSON object, InvalidSettingsError with every problem of its fields.
    """
    document = _document(body)
    unknown = sorted(document.keys() - _FIELDS)
    problems = [f"{name} is not a field; the fields are url or site, and settings" for name in unknown]
    url, site, given = (document.get(name) for name in ("url", "site", "settings"))
    if ("url" in document) == ("site" in document):
        problems.append("the body must have either url, the URL to start from, or site, the ID of a saved site")
    problems += [
        f"{name} must be {what}, not {value!r:.100}"
        for name, what, value in (("url", "the URL to start from", url), ("site", "the ID of a saved site", site))
        if name in document and not (isinstance(value, str) and value.strip())
    ]
    settings = CrawlSettings()
    try:
        settings = crawl_settings(given, bounds=REQUEST_BOUNDS)
    except InvalidSettingsError as error:
        problems += error.problems
    if problems:
        raise InvalidSettingsError(tuple(problems))
    return CrawlRequest(
        url=str(url or ""),
        site=str(site or ""),
        settings=settings,
        trigger=Trigger.WEBHOOK,
        named=named_settings(given),
    )


_FIELDS = {"url", "site", "settings"}


def _document(body: bytes) -> dict[str, object]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, 'the body must be an object such as {"url": "https://example.com/"}')
    return document
