"""The responses of a site's server, made from the model of the site."""

import gzip
import zlib

from wavecrawl.demo.markup import html_of
from wavecrawl.demo.model import ORIGIN, Failure, FailureKind, Page, Site
from wavecrawl.demo.reply import Fault, Reply, encode_head, error_reply, reply_of
from wavecrawl.demo.siteinfo import robots_text, sitemap_body, sitemap_type

_FILLER = b"<p>The tide comes in and goes out again, and the gauge writes down every minute of it.</p>\n"


def render_site(site: Site, origin: str) -> dict[str, Reply]:
    """Return the response of every path with query on the site."""
    replies = {page.path: _reply(page, site, origin) for page in site.pages}
    for file in site.sitemaps:
        replies[file.path] = reply_of(200, (("Content-Type", sitemap_type(file)),), sitemap_body(file, origin))
    robots = robots_text(site, origin)
    if robots:
        replies["/robots.txt"] = reply_of(200, (("Content-Type", "text/plain; charset=utf-8"),), robots.encode())
    return replies


def _reply(page: Page, site: Site, origin: str) -> Reply:
    body = _body(page, site, origin)
    headers = [("Content-Type", _content_type(page)), *page.headers]
    if page.redirect:
        headers.append(("Location", page.redirect.replace(ORIGIN, origin)))
    if page.coding:
        headers.append(("Content-Encoding", page.coding))
        body = gzip.compress(body, mtime=0) if page.coding == "gzip" else zlib.compress(body)
    for name, value in (("ETag", page.etag), ("Last-Modified", page.last_modified)):
        if value:
            headers.append((name, value))
    reply = reply_of(page.status, tuple(headers), body, delay=page.delay)
    return reply if page.failure is None else _flaky(reply, page.failure)


def _body(page: Page, site: Site, origin: str) -> bytes:
    if page.body is not None:
        body = page.body
    elif page.is_html:
        text = html_of(page, site).replace(ORIGIN, origin)
        body = text.encode(page.encoding, errors="xmlcharrefreplace")
    else:
        body = "\n\n".join(page.text).encode(page.encoding, errors="replace")
    if page.filler:
        body += _FILLER * (page.filler // len(_FILLER) + 1)
    return body


def _content_type(page: Page) -> str:
    textual = page.content_type.startswith("text/") or page.is_html
    return (
        f"{page.content_type}; charset={page.header_charset}" if textual and page.header_charset else page.content_type
    )


def _flaky(reply: Reply, failure: Failure) -> Reply:
    error = error_reply(failure.status)
    body = error.data[error.head_size :]
    waits = (("Retry-After", failure.retry_after),) if failure.retry_after else ()
    sized = (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))))
    return Reply(
        status=reply.status,
        data=reply.data,
        head_size=reply.head_size,
        etag=reply.etag,
        last_modified=reply.last_modified,
        delay=reply.delay,
        failures=failure.times,
        fault=_FAULTS[failure.kind],
        failure_status=failure.status,
        failure_data=encode_head(failure.status, (*sized, *waits)) + body,
    )


_FAULTS = {
    FailureKind.STATUS: Fault.STATUS,
    FailureKind.RESET: Fault.RESET,
    FailureKind.SHORT: Fault.SHORT,
    FailureKind.GARBAGE: Fault.GARBAGE,
}
